"""Runs one query in Flink: text files, query, state backend, parallelism, seconds of disorder.

It runs in a separate environment without Muntin, and prints the seconds.
"""

import sys
import time

from pyflink.common import Configuration  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]


def main() -> None:
    """Run the query."""
    path, query, backend, parallelism, disorder = sys.argv[1:]
    configuration = Configuration()
    configuration.set_string("state.backend.type", backend)
    configuration.set_string("parallelism.default", parallelism)
    configuration.set_string("taskmanager.memory.process.size", "6g")
    settings = EnvironmentSettings.new_instance().in_streaming_mode()
    table = TableEnvironment.create(settings.with_configuration(configuration).build())
    table.execute_sql(
        "CREATE TABLE r (k BIGINT, t TIMESTAMP(3), until TIMESTAMP(3), v DOUBLE, "
        f"WATERMARK FOR t AS t - INTERVAL '{disorder}' SECOND) WITH ('connector' = 'filesystem', "
        f"'path' = 'file://{path}', 'format' = 'csv')"
    )
    table.execute_sql(
        "CREATE TABLE nothing (k BIGINT, t TIMESTAMP(3), n BIGINT, s DOUBLE) "
        "WITH ('connector' = 'blackhole')"
    )
    began = time.perf_counter()
    table.execute_sql(f"INSERT INTO nothing {query}").wait()
    print(time.perf_counter() - began)


main()
