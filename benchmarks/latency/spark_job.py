"""Runs one query from Kafka to Kafka in Spark, until its standard input ends.

python -m benchmarks.latency.spark_job CONTENDER ADDRESS SOURCE TARGET FOLDER PARTITIONS BATCH JARS
"""

from __future__ import annotations

import sys

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.latency import contender
from benchmarks.latency.contender import Contender

ROW = "id BIGINT, at BIGINT, x BIGINT"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def session(query: Contender, folder: str, partitions: int, jars: str) -> SparkSession:
    """A session with a task slot for each partition of the topic and each of the shuffle."""
    is_real_time = query.mode == contender.REAL_TIME
    builder = SparkSession.builder.master(f"local[{2 * partitions}]")
    settings = {
        "spark.jars": jars,
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    if query.engine == contender.MUNTIN:
        builder = mt.configure(builder, real_time=is_real_time)
        builder = builder.config("spark.muntin.stream.order", "group")
    return builder.getOrCreate()


def results(query: Contender, rows: DataFrame) -> DataFrame:
    """The query over the rows of the topic."""
    row = F.from_json(F.col("value").cast("string"), ROW).alias("r")
    parsed = rows.select(F.col("key").cast("string").alias("k"), row).select(
        "k", "r.id", F.timestamp_millis("r.at").alias("at"), "r.x"
    )
    if query.sql is None:
        unique = parsed.dropDuplicates(["id"])
        return unique.select("k", "id", F.lit(1).alias("n"), F.col("x").alias("s"))
    parsed.createOrReplaceTempView("r")
    return rows.sparkSession.sql(query.sql)


def main() -> None:
    name, address, source, target, folder, partitions, batch, jars = sys.argv[1:]
    query = next(c for c in contender.contenders() if c.name == name)
    spark = session(query, folder, int(partitions), jars)
    kafka = {"kafka.bootstrap.servers": address}
    reader = spark.readStream.format("kafka").options(**kafka, subscribe=source)
    rows = reader.option("startingOffsets", "earliest").load()
    found = results(query, rows).select(
        F.col("k").alias("key"), F.to_json(F.struct("id", "n", "s")).alias("value")
    )
    writer = found.writeStream.format("kafka").options(
        **kafka, topic=target, checkpointLocation=f"{folder}/checkpoint"
    )
    if query.mode == contender.REAL_TIME:
        trigger = {"realTime": f"{batch} seconds"}
        writer = writer.outputMode("update").trigger(**trigger)
    running = writer.start()
    print("running", flush=True)
    sys.stdin.read()
    running.stop()
    spark.stop()


if __name__ == "__main__":
    main()
