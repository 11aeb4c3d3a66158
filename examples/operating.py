"""Operate a stream: begin with a table, add a function and partitions, inspect what is open.

    python examples/operating.py

A query that continues from a checkpoint has the results of one stream that never stopped: at the
end, the program compares all results with a batch over all rows, bit for bit.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import muntin as mt
from pyspark.sql import DataFrame, SparkSession

KEYS = 50
# Readings of 9:00 to 10:00 are a table; readings of each quarter of an hour after that are files.
HISTORY, PART, PARTS = 3600, 900, 5

LAST_TEN = """
    SELECT sensor, at, x, avg(x) OVER w AS mean, count(*) OVER w AS n
    FROM readings
    WINDOW w AS (PARTITION BY sensor ORDER BY at ROWS 9 PRECEDING)
"""
GROWN = """
    SELECT sensor, at, x, avg(x) OVER w AS mean, count(*) OVER w AS n,
        max(x) OVER (PARTITION BY sensor ORDER BY at ROWS 4 PRECEDING) AS highest
    FROM readings
    WINDOW w AS (PARTITION BY sensor ORDER BY at ROWS 9 PRECEDING)
"""


def readings(spark: SparkSession, start: int, seconds: int) -> DataFrame:
    """Return a reading for each second: a sensor, a time, a value."""
    return spark.range(start, start + seconds).selectExpr(
        f"concat('s', hash(id, 1) % {KEYS}) AS sensor",
        "TIMESTAMP'2026-01-01 09:00:00' + make_dt_interval(0, 0, 0, id) AS at",
        "hash(id, 2) / 1e7 AS x",
    )


def main() -> None:
    """Run the query in five runs, and compare its results with a batch."""
    spark = mt.configure(SparkSession.builder.master("local[2]").appName("operating")).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    folder = Path(tempfile.mkdtemp())
    arriving = str(folder / "arriving")
    results, grown = str(folder / "results"), str(folder / "grown")
    readings(spark, 0, HISTORY).write.parquet(str(folder / "history"))
    history = spark.read.parquet(str(folder / "history"))

    def query(sql: str = LAST_TEN) -> DataFrame:
        stream = spark.readStream.schema(history.schema).parquet(arriving)
        stream.withWatermark("at", "1 minute").createOrReplaceTempView("readings")
        return spark.sql(sql)

    def run(n: int, checkpoint: Path, sql: str = LAST_TEN, to: str = results) -> None:
        readings(spark, HISTORY + n * PART, PART).coalesce(1).write.mode("append").parquet(arriving)
        writer = query(sql).writeStream.option("checkpointLocation", str(checkpoint))
        writer = writer.foreachBatch(lambda rows, _: rows.write.mode("append").parquet(to))
        writer.trigger(availableNow=True).start().awaitTermination()
        print(f"run {n + 1}: {spark.read.parquet(to).count()} results so far")

    Path(arriving).mkdir()
    small = folder / "checkpoint"
    final = mt.bootstrap(query(), history, small)
    final.write.parquet(results)
    print(f"The history has {final.count()} final results.")
    run(0, small)
    run(1, small)

    print("More traffic: five partitions.")
    large = folder / "checkpoint-of-five"
    mt.repartition(spark, small, 5, large).select("window", "partitions", "groups").show()
    run(2, large)
    run(3, large)

    print("Another feature: the highest of the last five values.")
    changed = folder / "checkpoint-with-another-feature"
    mt.change(query(GROWN), large, changed).select("window", "action").show()
    run(4, changed, GROWN, grown)

    waiting = mt.pending(query(GROWN), changed)
    print(f"{waiting.count()} rows wait for the watermark.")
    late = spark.read.parquet(grown).union(waiting)
    found = spark.read.parquet(results).union(late.drop("highest"))
    readings(spark, 0, HISTORY + PARTS * PART).createOrReplaceTempView("readings")
    wanted, wanted_late = spark.sql(LAST_TEN), spark.sql(GROWN)
    different = found.exceptAll(wanted).count() + wanted.exceptAll(found).count()
    different += late.exceptAll(wanted_late).count()
    print(f"{found.count()} results, {different} differ from a batch over all rows.")
    spark.stop()


if __name__ == "__main__":
    main()
