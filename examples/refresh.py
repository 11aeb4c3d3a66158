"""Keep a table of features up to date: readings arrive month by month, with corrections.

    python examples/refresh.py

Each month new rows arrive, some earlier rows are corrected, and others are deleted. `mt.refresh`
computes the results that these rows affect, and replaces them in a partitioned table. At the end,
the program compares the table with the query over all rows, bit for bit.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

KEYS = 100
MONTHS = 6
DAYS = 181

FEATURES = """
    SELECT sensor, day, x,
        avg(x) OVER (PARTITION BY sensor ORDER BY day RANGE 6 PRECEDING) AS week,
        max(x) OVER (PARTITION BY sensor ORDER BY day RANGE 29 PRECEDING) AS highest,
        trunc(day, 'month') AS month
    FROM readings
"""


def readings(spark: SparkSession) -> DataFrame:
    """Return readings of half a year: several of each sensor in a day."""
    return spark.range(KEYS * DAYS * 3).selectExpr(
        f"concat('s', pmod(hash(id, 1), {KEYS})) AS sensor",
        f"date_add(DATE'2026-01-01', int(pmod(hash(id, 2), {DAYS}))) AS day",
        "hash(id, 3) / 1e7 AS x",
        "id",
    )


def main() -> None:
    """Refresh the table month by month, and compare it with the query over all rows."""
    spark = mt.configure(SparkSession.builder.master("local[2]").appName("refresh")).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    folder = Path(tempfile.mkdtemp())
    readings(spark).write.parquet(str(folder / "all"))
    all_rows = spark.read.parquet(str(folder / "all"))

    def source(n: int) -> DataFrame:
        """Return the source after month `n`: each month corrects and deletes some rows."""
        last = F.add_months(F.lit("2026-01-01").cast("date"), n)
        arrived = all_rows.where(F.col("day") < last)
        of_row = F.pmod(F.hash("id", F.lit(4)), F.lit(2000))
        x = F.when(of_row == n, F.col("x") + 1).otherwise(F.col("x"))
        return arrived.where(of_row >= n).select("sensor", "day", x.alias("x"))

    def features(rows: DataFrame) -> DataFrame:
        rows.createOrReplaceTempView("readings")
        return spark.sql(FEATURES)

    spark.sql("DROP TABLE IF EXISTS features")
    options = {"path": str(folder / "features")}
    features(source(1)).write.partitionBy("month").saveAsTable("features", **options)
    for n in range(2, MONTHS + 1):
        before, now = source(n - 1), source(n)
        changed = now.exceptAll(before).union(before.exceptAll(now))
        started = time.monotonic()
        # By default, Muntin computes all results of such a small table.
        done = mt.refresh(features(now), "features", changed, source="readings", full=False).first()
        seconds = time.monotonic() - started
        assert done is not None
        print(
            f"month {n:2}: {done.stretches:5} stretches of {done.keys:3} sensors, "
            f"{done.deleted:6} results deleted, {done.inserted:6} inserted, {seconds:4.1f} s"
        )

    wanted = features(source(MONTHS)).select("sensor", "day", "x", "week", "highest", "month")
    found = spark.table("features").select(wanted.columns)
    differ = wanted.exceptAll(found).count() + found.exceptAll(wanted).count()
    print(f"{found.count()} results, {differ} differ from the query over all rows.")
    spark.sql("DROP TABLE features")
    spark.stop()


if __name__ == "__main__":
    main()
