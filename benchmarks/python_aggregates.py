"""A mean in Python over the last 1,001 rows: Spark's pandas UDF, and Muntin's aggregators."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import muntin as mt
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from benchmarks import report
from benchmarks.contender_spark import MUNTIN
from benchmarks.data import BUILD
from benchmarks.session import seconds_of

ROWS = 1_000_000
KEYS = 10
CORES = 2
WIDTH = 1000
TITLE = "## Aggregates written in Python"


def mean_of_pandas(x: pd.Series) -> float:
    """Compute the mean as a pandas UDF of Spark."""
    return float(x.mean())


class Mean:
    """Merges the sums of blocks of 64 rows."""

    def __init__(self) -> None:
        self.rows, self.total = 0, 0.0

    def update(self, x: Any) -> None:
        self.rows += len(x)
        self.total += float(x.sum())

    def merge(self, other: Any) -> None:
        self.rows += other.rows
        self.total += other.total

    def evaluate(self) -> float | None:
        return self.total / self.rows if self.rows else None


class RetractingMean:
    """Adds and removes rows one by one."""

    def __init__(self) -> None:
        self.rows, self.total = 0, 0.0

    def update(self, x: list[float]) -> None:
        self.rows += len(x)
        self.total += sum(x)

    def retract(self, x: list[float]) -> None:
        self.rows -= len(x)
        self.total -= sum(x)

    def evaluate(self) -> float | None:
        return self.total / self.rows if self.rows else None


def mean_of_arrays(x: Any, begins: Any, ends: Any) -> Any:
    """Compute all windows at once, by running sums."""
    upto = np.concatenate([[0.0], np.cumsum(x)])
    return (upto[ends] - upto[begins]) / (ends - begins)


def chapter(rows: int | None, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Time each way to write the mean, and compare the results."""
    rows = rows or ROWS
    spark = _session()
    _numbers(spark, rows).write.mode("overwrite").parquet(str(BUILD / "python"))
    table = spark.read.parquet(str(BUILD / "python"))
    few = _numbers(spark, 3_000).localCheckpoint()
    pandas: Any = F.pandas_udf(mean_of_pandas, "double")  # type: ignore[attr-defined]
    ways: list[tuple[str, str, Column]] = [
        ("stock Spark, `pandas_udf`", "false", pandas("x")),
        ("Muntin, the same `pandas_udf`", "true", pandas("x")),
        (
            "`mt.aggregator` with `merge`, numpy",
            "true",
            mt.aggregator(Mean, returns="double", values="numpy")("x"),
        ),
        (
            "`mt.aggregator` with `retract`, lists",
            "true",
            mt.aggregator(RetractingMean, returns="double", values="list")("x"),
        ),
        (
            "`mt.apply`, numpy",
            "true",
            mt.apply(mean_of_arrays, returns="double", values="numpy")("x"),
        ),
        ("Spark's `avg`, by Muntin", "true", F.avg("x")),
    ]
    over = Window.partitionBy("key").orderBy("id").rowsBetween(-WIDTH, 0)
    cells, stock = [], 0.0
    expected: list[Any] = []
    for name, enabled, mean in ways:
        spark.conf.set(MUNTIN, enabled)
        # Runs on few rows first, so that no time includes loading and compiling.
        found = sorted(few.select("id", mean.over(over)).collect())
        expected = expected or found
        seconds = min(seconds_of(table.select("id", mean.over(over))) for _ in range(rounds))
        stock = stock or seconds
        agree = "yes" if found == expected else "NO"
        cells.append((name, f"{seconds:.2f}", f"{stock / seconds:.1f}", agree))
        say(" ".join(cells[-1]))
    spark.stop()
    return [
        "",
        TITLE,
        "",
        f"The mean over `ROWS {WIDTH} PRECEDING`: {rows:,} rows of whole numbers from Parquet, "
        f"{KEYS} keys, {CORES} threads, into Spark's sink noop. Best of {rounds}, in seconds.",
        "",
        *report.table(["", "seconds", "times as fast", "same results"], cells),
    ]


def _session() -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("aggregates in Python")
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.sql.shuffle.partitions": str(CORES),
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return mt.configure(builder).getOrCreate()


def _numbers(spark: SparkSession, rows: int) -> DataFrame:
    x = ((F.col("id") * 7919) % 100_003).cast("double")
    return spark.range(rows).select("id", (F.col("id") % KEYS).alias("key"), x.alias("x"))
