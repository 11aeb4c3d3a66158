"""A program of streams from files to files, for tests that kill it.

python restarted.py SOURCE OUT [--to-the-end]
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import muntin as mt
from micro_batches import WATERMARK, Files
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

MINUTE = (timedelta(minutes=-1), timedelta(0))
AROUND = (timedelta(seconds=-10), timedelta(seconds=30))


def sums(frame: DataFrame) -> DataFrame:
    minute = mt.over("k", "t", range=MINUTE)
    return frame.select("k", "t", "i", F.sum("x").over(minute).alias("r"))


def sliding(frame: DataFrame) -> DataFrame:
    in_order = Window.partitionBy("k").orderBy("t", "i")
    last_20 = mt.sliding(F.avg("x"), 20, F.col("x") > 0).over(in_order)
    return frame.select("k", "t", "i", last_20.alias("r"))


def following(frame: DataFrame) -> DataFrame:
    around = mt.over("k", "t", range=AROUND)
    return frame.select("k", "t", "i", F.max("x").over(around).alias("r"))


QUERIES = {"sums": sums, "sliding": sliding, "following": following}


def session() -> SparkSession:
    builder = mt.configure(SparkSession.builder.master("local[2]"))
    return (
        builder.config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )


def main(source: Path, out: Path, *, to_the_end: bool) -> None:
    spark = session()
    stream = Files(source).stream(spark).withWatermark("t", WATERMARK)
    running = []
    for name, query in QUERIES.items():
        writer = query(stream).writeStream.format("parquet").option("path", str(out / name))
        writer = writer.option("checkpointLocation", str(out / f"{name}_checkpoint"))
        running.append((writer.trigger(availableNow=True) if to_the_end else writer).start())
    print("running", flush=True)
    for one in running:
        one.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), to_the_end=sys.argv[3:] == ["--to-the-end"])
