"""Runs one query from Kafka to Kafka in Flink, until its standard input ends.

In an environment of its own, which has nothing of ours:

python flink_job.py SQL BACKEND ADDRESS SOURCE TARGET FOLDER PARTITIONS BATCH JAR
"""

import sys

from pyflink.common import Configuration  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]


def main() -> None:
    """Run it."""
    sql, backend, address, source, target, folder, partitions, batch, jar = sys.argv[1:]
    configuration = Configuration()
    for name, value in {
        "state.backend.type": backend,
        "parallelism.default": partitions,
        "pipeline.jars": f"file://{jar}",
        "execution.checkpointing.interval": f"{batch} s",
        "execution.checkpointing.dir": f"file://{folder}/checkpoint",
        "execution.checkpointing.incremental": "true",
        "execution.buffer-timeout.interval": "1 ms",
        "pipeline.auto-watermark-interval": "1 ms",
        "taskmanager.memory.process.size": "3g",
    }.items():
        configuration.set_string(name, value)
    settings = EnvironmentSettings.new_instance().in_streaming_mode()
    table = TableEnvironment.create(settings.with_configuration(configuration).build())
    kafka = (
        f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{address}', "
        "'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'json', "
        "'value.fields-include' = 'EXCEPT_KEY'"
    )
    table.execute_sql(
        "CREATE TABLE r (k STRING, id BIGINT, `at` BIGINT, x BIGINT, "
        "t AS TO_TIMESTAMP_LTZ(`at`, 3), p AS PROCTIME(), "
        "WATERMARK FOR t AS t - INTERVAL '0.001' SECOND) "
        f"WITH ({kafka}, 'topic' = '{source}', 'scan.startup.mode' = 'earliest-offset', "
        "'properties.group.id' = 'latency')"
    )
    table.execute_sql(
        "CREATE TABLE o (k STRING, id BIGINT, n BIGINT, s BIGINT) "
        f"WITH ({kafka}, 'topic' = '{target}', 'properties.linger.ms' = '0')"
    )
    job = table.execute_sql(f"INSERT INTO o {sql}")
    print("running", flush=True)
    sys.stdin.read()
    job.get_job_client().cancel().result()


main()
