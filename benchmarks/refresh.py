"""A table of results that is refreshed after changes, compared with the whole query."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import muntin as mt
from pyspark.sql import DataFrame, SparkSession

from benchmarks import machine, report
from benchmarks.data import BUILD
from benchmarks.session import CORES, session

TITLE = "## Refreshing a table"
KEYS = 1_000
DAYS = 3 * 365
# The time of a refresh after one more day, as a part of the query's time.
LIMIT_OF_A_DAY = 0.05
# The time of any refresh.
LIMIT = 1.05
WARM_ROWS = 400_000
QUERY = """
    SELECT k, t, v, avg(v) OVER w AS week, max(v) OVER w AS highest, month
    FROM readings WINDOW w AS (PARTITION BY k ORDER BY t RANGE INTERVAL 7 DAYS PRECEDING)"""
COLUMNS = "k, t, v, month"
FIRST = "TIMESTAMP'2023-01-01 00:00:00'"


def chapter(rows: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    spark = session(**{"spark.sql.shuffle.partitions": str(2 * CORES)})
    _measured(spark, min(rows, WARM_ROWS), lambda _: None)
    lines = _measured(spark, rows, say)
    spark.stop()
    return [
        "",
        TITLE,
        "",
        f"{rows:,} rows of {KEYS:,} keys in {DAYS:,} days, on {CORES} cores, in seconds. avg and "
        "max over 7 days of each row, in a Parquet table with a partition for each month: the "
        "whole table written by stock Spark and by Muntin, and `mt.refresh` after a change. ! "
        f"marks a refresh after one day that takes more than {LIMIT_OF_A_DAY} of the whole "
        f"query in Muntin, and any refresh that takes more than {LIMIT}. {machine.when()}.",
        "",
        *report.table(
            ["change", "results", "stock Spark", "Muntin", "refresh", "refresh / Muntin"], lines
        ),
    ]


def _measured(spark: SparkSession, rows: int, say: Callable[[str], None]) -> list[list[str]]:
    folder = Path(tempfile.mkdtemp(dir=BUILD))
    last_day = f"{FIRST} + INTERVAL {DAYS - 1} DAYS"
    _source(spark, rows).write.partitionBy("month").parquet(str(folder / "first"))
    first = spark.read.parquet(str(folder / "first")).selectExpr(*COLUMNS.split(", "))
    old = f"t < {last_day}"
    late = f"pmod(hash(k, t, 7), 1000) = 0 AND t >= {last_day} - INTERVAL 30 DAYS"
    one_key = f"k = 17 AND t < {FIRST} + INTERVAL 60 DAYS"
    # The rows before and after the change, and the changed rows.
    changes: dict[str, tuple[DataFrame, DataFrame, DataFrame]] = {
        "one day arrives": (first.where(old), first, first.where(f"NOT ({old})")),
        "0.1% of a month arrives late": (first.where(f"NOT ({late})"), first, first.where(late)),
        "one old key is corrected": (
            first,
            first.selectExpr("k", "t", f"IF({one_key}, v + 1, v) AS v", "month"),
            first.where(one_key).union(
                first.where(one_key).selectExpr("k", "t", "v + 1 AS v", "month")
            ),
        ),
    }
    lines = []
    for title, (before, after, changed) in changes.items():
        stock = _whole(spark, after, folder, on=False)
        muntin = _whole(spark, after, folder, on=True)
        _write(spark, before)
        after.createOrReplaceTempView("readings")
        started = time.monotonic()
        done = mt.refresh(spark.sql(QUERY), "refreshed", changed, source="readings").first()
        seconds = time.monotonic() - started
        assert done is not None
        ratio = seconds / muntin
        limit = LIMIT_OF_A_DAY if title == "one day arrives" else LIMIT
        mark = " !" if ratio > limit else ""
        say(f"{title}: stock {stock:.1f} s, Muntin {muntin:.1f} s, refresh {seconds:.1f} s")
        times = [f"{seconds:.1f}" for seconds in (stock, muntin, seconds)]
        lines.append([title, f"{done.inserted:,}", *times, f"{ratio:.3f}{mark}"])
    spark.sql("DROP TABLE IF EXISTS refreshed")
    shutil.rmtree(folder)
    return lines


def _source(spark: SparkSession, rows: int) -> DataFrame:
    seconds = DAYS * 86400
    return (
        spark.range(rows)
        .selectExpr(
            f"pmod(hash(id, 1), {KEYS}) AS k",
            f"{FIRST} + make_dt_interval(0, 0, 0, pmod(xxhash64(id, 2), {seconds})) AS t",
            "hash(id, 3) / 1e7 AS v",
        )
        .selectExpr("*", "CAST(trunc(t, 'month') AS DATE) AS month")
    )


def _whole(spark: SparkSession, rows: DataFrame, folder: Path, on: bool) -> float:
    spark.conf.set("spark.muntin.over.enabled", str(on).lower())
    rows.createOrReplaceTempView("readings")
    place = folder / "whole"
    started = time.monotonic()
    spark.sql(QUERY).write.mode("overwrite").partitionBy("month").parquet(str(place))
    seconds = time.monotonic() - started
    spark.conf.unset("spark.muntin.over.enabled")
    return seconds


def _write(spark: SparkSession, rows: DataFrame) -> None:
    rows.createOrReplaceTempView("readings")
    spark.sql("DROP TABLE IF EXISTS refreshed")
    spark.sql(QUERY).write.partitionBy("month").saveAsTable("refreshed")
