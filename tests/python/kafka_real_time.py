"""A query from Kafka to Kafka in real-time mode, for a test that kills it.

python kafka_real_time.py ADDRESS CHECKPOINT JARS
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import muntin as mt
from kafka_queries import options, parsed, to_records
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

SOURCE, TARGET = "real_time_in", "real_time_out"


def at_once(rows: DataFrame) -> DataFrame:
    """Windows with one order, which run as one operator."""
    minute = mt.over("k", "at", range=(timedelta(minutes=-1), timedelta(0)))
    so_far = Window.partitionBy("k").orderBy("at")
    return rows.select(
        "*",
        F.avg("x").over(minute).alias("mean"),
        mt.sliding(F.max("x"), 5, F.col("x") > 30).over(so_far).alias("highest"),
        F.lag("id").over(so_far).alias("before"),
    )


def main(address: str, checkpoint: Path, jars: str) -> None:
    # All tasks run at the same time: two read the topic, and two compute the windows.
    builder = SparkSession.builder.master("local[4]").config("spark.jars", jars)
    spark = (
        mt.configure(builder, real_time=True)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "OFF")
        .config("spark.muntin.stream.order", "group")
        .getOrCreate()
    )
    rows = parsed(spark.readStream.format("kafka").options(**options(address, SOURCE)).load())
    writer = (
        to_records(at_once(rows))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", address)
        .option("topic", TARGET)
        .option("checkpointLocation", str(checkpoint))
        .outputMode("update")
    )
    trigger = {"realTime": "5 seconds"}
    query = writer.trigger(**trigger).start()
    print("running", flush=True)
    query.awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
