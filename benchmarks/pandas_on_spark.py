"""Unchanged code of pandas on Spark, with and without Muntin."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks import report
from benchmarks.contender_spark import MUNTIN
from benchmarks.data import BUILD

ROWS = 200_000
KEYS = 10
CORES = 2
TITLE = "## pandas on Spark"

# Of `df` with the columns key and x, in the order of its index.
CALLS = (
    'df["x"].rolling(500).mean()',
    'df["x"].rolling(500).std()',
    'df["x"].rolling(500).skew()',
    'df["x"].rolling(500).quantile(0.5)',
    'df.groupby("key")["x"].rolling(500).mean()',
    'df["x"].expanding().mean()',
    'df["x"].ewm(halflife=20).mean()',
    'df["x"].rolling(10).mean()',
)


def chapter(rows: int | None, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Time each call with and without Muntin, and compare the results."""
    rows = rows or ROWS
    spark = _session()
    warnings.filterwarnings("ignore", module="pyspark.pandas")
    _numbers(spark, rows).write.mode("overwrite").parquet(str(BUILD / "pandas"))
    df: Any = spark.read.parquet(str(BUILD / "pandas")).pandas_api(index_col="id")
    # Runs each side once on few rows, so that no time includes loading and compiling.
    few: Any = _numbers(spark, 2_000).pandas_api(index_col="id")
    cells = []
    for call in CALLS:
        results, seconds = [], []
        for enabled in ("false", "true"):
            spark.conf.set(MUNTIN, enabled)
            result = eval(call, {"df": few}).to_frame("r").to_spark()
            results.append(sorted(row.r or 0.0 for row in result.collect()))
            seconds.append(min(_seconds(call, df) for _ in range(rounds)))
        agree = all(abs(a - b) <= 1e-9 * max(1.0, abs(a)) for a, b in zip(*results, strict=True))
        stock, muntin = seconds
        cells.append((call, f"{stock:.1f}", f"{muntin:.1f}", f"{stock / muntin:.1f}", _word(agree)))
        say(" ".join(cells[-1]))
    spark.stop()
    return [
        "",
        TITLE,
        "",
        f"{rows:,} rows from Parquet, {KEYS} keys, {CORES} threads; the code of the first column, "
        f"which does not mention Muntin, into Spark's noop sink. Best of {rounds}, in seconds.",
        "",
        *report.table(["", "stock Spark", "Muntin", "times as fast", "same results"], cells),
    ]


def _session() -> SparkSession:
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("pandas on Spark")
    settings = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    settings |= {"spark.ui.showConsoleProgress": "false", "spark.driver.memory": "6g"}
    for key, value in settings.items():
        builder = builder.config(key, value)
    return mt.configure(builder).getOrCreate()


def _numbers(spark: SparkSession, rows: int) -> DataFrame:
    x = ((F.col("id") * 7919) % 100_003).cast("double") / 7
    return spark.range(rows).select("id", (F.col("id") % KEYS).alias("key"), x.alias("x"))


def _seconds(call: str, df: Any) -> float:
    began = time.perf_counter()
    eval(call, {"df": df}).to_frame("r").to_spark().write.format("noop").mode("overwrite").save()
    return time.perf_counter() - began


def _word(agree: bool) -> str:
    return "yes" if agree else "NO"
