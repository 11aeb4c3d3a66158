"""The tables in the manuals of Fenl (Kaskada) and Psi, row for row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import muntin as mt
import pytest
from pyspark.sql import Column, DataFrame, SparkSession, Window, WindowSpec
from pyspark.sql import functions as F

pytestmark = pytest.mark.once


def values(frame: DataFrame, order: str, *columns: Column) -> list[Any]:
    """Return the values of one column, or tuples of several columns, in order."""
    rows = frame.select(F.col(order), *columns).orderBy(order).collect()
    return [row[1] if len(columns) == 1 else tuple(row[1:]) for row in rows]


@pytest.fixture
def purchases(spark: SparkSession) -> DataFrame:
    days = [date(2012, 2, 23), date(2012, 5, 10), date(2018, 11, 3), date(2019, 10, 26)]
    # Two buyers with the same purchases, because windows do not extend from one key to another.
    rows = [(who, d, a) for who in "ab" for d, a in zip(days, (5, 2, 13, 4), strict=True)]
    return spark.createDataFrame(rows, "who string, day date, amount int")


def of_each(purchases: DataFrame, column: Column) -> list[Any]:
    of_a = values(purchases.select("*", column.alias("r")).where("who = 'a'"), "day", F.col("r"))
    of_b = values(purchases.select("*", column.alias("r")).where("who = 'b'"), "day", F.col("r"))
    assert of_a == of_b
    return of_a


def by_day() -> WindowSpec:
    return Window.partitionBy("who").orderBy("day")


def test_fenl_sum(purchases: DataFrame) -> None:
    running = mt.rolling(F.sum("amount"), partition_by="who", order_by="day")
    assert of_each(purchases, running) == [5, 7, 20, 24]
    assert of_each(purchases, F.sum("amount").over(by_day())) == [5, 7, 20, 24]


def test_fenl_sum_over_sliding_2_is_valid(purchases: DataFrame) -> None:
    two = mt.sliding(F.sum("amount"), 2, F.col("amount").isNotNull()).over(by_day())
    assert of_each(purchases, two) == [None, 7, 15, 17]


def test_fenl_sliding_skips_invalid_rows(spark: SparkSession, purchases: DataFrame) -> None:
    unpaid = spark.createDataFrame(
        [(who, date(2013, 1, 1), None) for who in "ab"], "who string, day date, amount int"
    )
    two = mt.sliding(F.sum("amount"), 2, F.col("amount").isNotNull()).over(by_day())
    assert of_each(purchases.union(unpaid), two) == [None, 7, 7, 15, 17]


@pytest.mark.parametrize("dtype", ["date", "timestamp", "timestamp_ntz"])
def test_fenl_sum_over_since_yearly(purchases: DataFrame, dtype: str) -> None:
    timed = purchases.withColumn("t", F.col("day").cast(dtype))
    totals = timed.groupBy("who", mt.ticks("t", "yearly")).agg(F.sum("amount").alias("total"))
    printed = F.coalesce("total", F.lit(0)).alias("total")
    of_years = totals.select("who", F.year("ticks.end").alias("year"), printed)
    expected = list(zip(range(2013, 2021), (7, 0, 0, 0, 0, 0, 13, 4), strict=True))
    for who in "ab":
        found = of_years.where(F.col("who") == who)
        assert values(found, "year", F.col("year"), F.col("total")) == expected


def test_fenl_repeated_aggregation(purchases: DataFrame) -> None:
    rolling = mt.rolling(F.sum("amount"), partition_by="who", order_by="day")
    mean = mt.rolling(F.avg("total"), partition_by="who", order_by="day")
    found = of_each(purchases.withColumn("total", rolling), mean)
    assert found == [5, 6, 32 / 3, 14]


SECONDS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 22, 22.5, 23, 40)
MESSAGES = tuple((start * 7) % 11 + 0.25 * i for i, start in enumerate(SECONDS))
START = datetime(2020, 6, 25)
TIMES = [START + timedelta(seconds=s) for s in SECONDS]


@pytest.fixture(params=["timestamp", "timestamp_ntz"])
def stream(spark: SparkSession, request: pytest.FixtureRequest) -> DataFrame:
    rows = list(zip(TIMES, MESSAGES, strict=True))
    frame = spark.createDataFrame(rows, "t timestamp_ntz, x double")
    return frame.withColumn("t", F.col("t").cast(request.param))


def mean(window: Sequence[float]) -> float:
    return sum(window) / len(window)  # exact: the values are quarters


def test_psi_average_10_returns_only_complete_windows(stream: DataFrame) -> None:
    average = mt.rolling(F.avg("x"), 10, order_by="t").alias("mean")
    expected = [mean(MESSAGES[i - 9 : i + 1]) for i in range(9, len(MESSAGES))]
    nulls: list[float | None] = [None] * 9
    assert values(stream, "t", average) == nulls + expected
    assert values(mt.complete(stream, average), "t", F.col("mean")) == expected


def test_psi_average_10_seconds_always_has_a_result(stream: DataFrame) -> None:
    average = mt.rolling(F.avg("x"), timedelta(seconds=10), order_by="t")
    expected = [
        mean([x for s, x in zip(SECONDS, MESSAGES, strict=True) if now - 10 <= s <= now])
        for now in SECONDS
    ]
    assert values(stream, "t", average) == expected


def test_psi_average_without_a_size_is_running(stream: DataFrame) -> None:
    average = mt.rolling(F.avg("x"), order_by="t")
    expected = [mean(MESSAGES[: i + 1]) for i in range(len(MESSAGES))]
    assert values(stream, "t", average) == expected


@pytest.mark.parametrize("statistic", ["min", "max", "sum", "count"])
def test_psi_other_statistics(stream: DataFrame, statistic: str) -> None:
    column = mt.rolling(getattr(F, statistic)("x"), 3, order_by="t").alias("r")
    fold = {"min": min, "max": max, "sum": sum, "count": len}[statistic]
    expected = [fold(MESSAGES[i - 2 : i + 1]) for i in range(2, len(MESSAGES))]  # type: ignore[operator]
    assert values(mt.complete(stream, column), "t", F.col("r")) == expected
