"""Rejected queries: the message shows the value and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import muntin as mt
import pandas as pd  # type: ignore[import-untyped]
import pytest
from conditions import raises
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

HOUR = timedelta(hours=1)


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    return spark.range(6).select(
        (F.col("id") % 2).alias("k"),
        F.col("id").alias("x"),
        F.timestamp_seconds("id").alias("at"),
    )


def refusal(query: Callable[[], DataFrame]) -> str:
    with pytest.raises(AnalysisException) as error:
        query().collect()
    return str(error.value).split("\n")[0]


def test_a_range_of_durations_requires_an_ascending_order(rows: DataFrame) -> None:
    not_ascending = "MUNTIN_RANGE_OF_DURATIONS_NOT_ASCENDING"
    with raises(AnalysisException, not_ascending, order="at DESC NULLS LAST", time="at"):
        rows.select(mt.rolling(F.avg("x"), HOUR, "k", F.desc("at"))).collect()
    with raises(AnalysisException, not_ascending, order="at ASC NULLS LAST"):
        rows.select(mt.rolling(F.avg("x"), HOUR, "k", F.asc_nulls_last("at"))).collect()
    with raises(AnalysisException, "MUNTIN_RANGE_OF_DURATIONS_WITHOUT_TIME", type="BIGINT"):
        rows.select(mt.rolling(F.avg("x"), HOUR, "k", "x")).collect()


def test_a_range_of_durations_over_an_explicitly_ascending_order(rows: DataFrame) -> None:
    said, bare = (
        mt.rolling(F.sum("x"), timedelta(seconds=2), "k", order) for order in (F.asc("at"), "at")
    )
    assert {row.a == row.b for row in rows.select(said.alias("a"), bare.alias("b")).collect()} == {
        True
    }


def test_over_around_a_column_with_a_window(rows: DataFrame) -> None:
    w = Window.partitionBy("k").orderBy("at")
    for column in (
        # The parts of rolling, because Python rejects .over(…) of rolling.
        mt.framed(F.avg("x"), complete=True).over(mt.over("k", "at", rows=(-2, 0))),
        F.avg("x").over(mt.over("k", "at", range=(-HOUR, timedelta(0)))),
        mt.rolling(F.avg("x"), 3, "k", "at").alias("named"),
        mt.rolling(F.avg("x"), HOUR, "k", "at").alias("named"),
        mt.sliding(F.avg("x"), 3).over(w),
        mt.partial(F.avg("x")).over(w),
    ):
        said = refusal(lambda column=column: rows.select(column.over(w)))  # type: ignore[misc]
        assert "MUNTIN_SECOND_OVER" in said
        assert "bug report" not in said
        assert "multiple Window" not in said


def test_over_inside_the_function(rows: DataFrame) -> None:
    w = Window.partitionBy("k").orderBy("at")
    said = refusal(lambda: rows.select(mt.sliding(F.avg("x").over(w), 3)))
    assert "[MUNTIN_OVER_INSIDE_FUNCTION]" in said
    assert "Write the OVER clause after `sliding`: sliding(avg(x), …) OVER (…)." in said


def test_messages_show_frames_as_sql(rows: DataFrame) -> None:
    hour = mt.over("k", "at", range=(-HOUR, timedelta(0)))
    words = "RANGE BETWEEN INTERVAL '0 01:00:00' DAY TO SECOND PRECEDING AND CURRENT ROW"
    total = F.sum("x")
    for column in (
        mt.framed(total, complete=True).over(hour),
        mt.is_complete(total.over(hour)),
        mt.sliding(total, 3).over(hour),
    ):
        assert words in refusal(lambda column=column: rows.select(column))  # type: ignore[misc]


def test_bounds_are_allowed_in_where_only(rows: DataFrame) -> None:
    no_ticker = F.col("k").isNull()
    for query in (
        lambda: rows.select(mt.bound(no_ticker)),
        lambda: rows.where(mt.bound(no_ticker)),
        lambda: rows.where(~mt.bound(no_ticker) | (F.col("x") > 1)),
    ):
        assert "WHERE NOT bound((k IS NULL))" in refusal(query)


def test_the_rows_of_a_window_cannot_go_to_a_function(rows: DataFrame) -> None:
    grouped = rows.groupBy("k", mt.field_window("x", 2))
    said = refusal(lambda: grouped.applyInPandas(lambda frame: frame, "x long"))
    assert "MUNTIN_WINDOW_OF_ROWS" in said
    lists = grouped.agg(F.collect_list(F.struct("*")).alias("rows"))
    assert lists.count() > 0


def test_a_pandas_udf_over_a_struct_is_rejected(rows: DataFrame) -> None:
    w = Window.partitionBy("k").orderBy("at")

    @F.pandas_udf("double")  # type: ignore[attr-defined, untyped-decorator]
    def mean(values: pd.DataFrame) -> float:
        return float(values["x"].mean())

    pairs = rows.withColumn("pair", F.struct("x"))
    over = refusal(lambda: pairs.select(mt.sliding(mean("pair"), 3).over(w)))
    assert "MUNTIN_UNSUPPORTED_PYTHON_WINDOW" in over
    groups = refusal(lambda: pairs.groupBy(mt.field_window("x", 2)).agg(mean("pair")))
    assert "MUNTIN_PYTHON_AGGREGATE_OF_FRAMES" in groups
