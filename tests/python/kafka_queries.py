"""Queries from Kafka to Kafka, and a program that runs them, for tests that kill it.

python kafka_queries.py ADDRESS FOLDER JARS [--to-the-end]
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import muntin as mt
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

READING = "id BIGINT, k STRING, at TIMESTAMP, x DOUBLE"
BEGIN = 1767225600  # 2026

# The number of partitions of each order's topic.
PARTITIONS = {"watermark": 2, "arrival": 1, "group": 2}


def readings(spark: SparkSession, order: str, first: int, count: int) -> DataFrame:
    """Return records in the order that a query requires.

    `watermark`: out of order by up to 6 seconds. `arrival`: in order. `group`: in order for each
    key, and the times of the partitions differ by a day.
    """
    time = {
        "watermark": "id * 3 - pmod(xxhash64(id, 2), 7)",
        "arrival": "id * 3",
        "group": "id * 3 + n % 2 * 86400",
    }[order]
    return spark.sql(f"""
        SELECT k AS key, to_json(struct(id, k, at, x)) AS value,
               CAST(n % {PARTITIONS[order]} AS INT) AS partition
        FROM (SELECT id, n, concat('k', n) AS k, timestamp_seconds({BEGIN} + {time}) AS at,
                     pmod(xxhash64(id, 1), 1000) / 8 AS x
              FROM (SELECT id, pmod(xxhash64(id), 6) AS n
                    FROM range({first}, {first + count}, 1, 1)))
    """)


def options(address: str, topic: str) -> dict[str, str]:
    begin = {"startingOffsets": "earliest"}
    return {"kafka.bootstrap.servers": address, "subscribe": topic, **begin}


def parsed(records: DataFrame) -> DataFrame:
    """Return the readings with the place of their records, and drop other records."""
    value = F.from_json(F.col("value").cast("string"), READING).alias("r")
    return (
        records.select("partition", "offset", value)
        .select("partition", "offset", "r.*")
        .where("at IS NOT NULL")
    )


def ordered(rows: DataFrame, order: str) -> DataFrame:
    # Spark may read some rows more of one partition than of another.
    return rows.withWatermark("at", "2 minutes") if order == "watermark" else rows


def features(rows: DataFrame) -> DataFrame:
    minute = mt.over("k", "at", range=(timedelta(minutes=-1), timedelta(0)))
    so_far = Window.partitionBy("k").orderBy("at", "id")
    return rows.select(
        "*",
        F.avg("x").over(minute).alias("mean"),
        F.count("*").over(minute).alias("n"),
        mt.sliding(F.max("x"), 5, F.col("x") > 30).over(so_far).alias("highest"),
        F.lag("id").over(so_far).alias("before"),
    )


def to_records(rows: DataFrame) -> DataFrame:
    return rows.select(F.col("k").alias("key"), F.to_json(F.struct("*")).alias("value"))


def start(
    records: DataFrame,
    address: str,
    topic: str,
    checkpoint: Path,
    *,
    mode: str = "append",
    is_finite: bool = True,
) -> StreamingQuery:
    writer = (
        records.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", address)
        .option("topic", topic)
        .option("checkpointLocation", str(checkpoint))
        .outputMode(mode)
    )
    return (writer.trigger(availableNow=True) if is_finite else writer).start()


def main(address: str, folder: Path, jars: str, *, to_the_end: bool) -> None:
    builder = mt.configure(SparkSession.builder.master("local[2]").config("spark.jars", jars))
    spark = (
        builder.config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "OFF")
        .config("spark.muntin.stream.drain", str(to_the_end).lower())
        .getOrCreate()
    )
    running = []
    for order in PARTITIONS:
        spark.conf.set("spark.muntin.stream.order", order)
        stream = spark.readStream.format("kafka").options(**options(address, f"kill_{order}"))
        rows = ordered(parsed(stream.option("maxOffsetsPerTrigger", "40").load()), order)
        records = to_records(features(rows))
        out, checkpoint = f"killed_{order}", folder / order
        running.append(start(records, address, out, checkpoint, is_finite=to_the_end))
    print("running", flush=True)
    for one in running:
        one.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], to_the_end=sys.argv[4:] == ["--to-the-end"])
