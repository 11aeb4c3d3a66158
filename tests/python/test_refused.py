"""Aggregates that stock Spark rejects in a moving window equal their definition, in DataFrames."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

Row = tuple[int | None, str | None]

ROWS = st.lists(
    st.tuples(
        st.none() | st.integers(-3, 3) | st.integers(-(2**40), 2**40),
        st.none() | st.sampled_from(["", "a", "b", "ä", "𝄞"]),
    ),
    min_size=1,
    max_size=25,
)


def in_order(values: Sequence[str | None]) -> list[str]:
    """Return the distinct values in the order of their first occurrence."""
    return list(dict.fromkeys(v for v in values if v is not None))


@pytest.mark.skipif(not hasattr(F, "listagg"), reason="listagg came with Spark 4.0")
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rows=ROWS, before=st.integers(0, 6), after=st.integers(0, 3))
def test_windows_equal_their_definition(
    spark: SparkSession, rows: list[Row], before: int, after: int
) -> None:
    window = Window.partitionBy(F.lit(0)).orderBy("id").rowsBetween(-before, after)
    frame = spark.createDataFrame(
        [(i, x, s) for i, (x, s) in enumerate(rows)], "id int, x bigint, s string"
    )
    found = frame.select(
        "id",
        F.count_distinct("x").over(window).alias("distinct"),
        F.sum_distinct("x").over(window).alias("total"),
        F.median("x").over(window).alias("median"),
        F.collect_set("s").over(window).alias("set"),
        F.mode("x", True).over(window).alias("mode"),
        F.listagg_distinct("s", F.lit("|")).over(window).alias("list"),
    ).collect()
    assert len(found) == len(rows)
    for row in found:
        part = rows[max(0, row.id - before) : row.id + after + 1]
        numbers = [x for x, _ in part if x is not None]
        words = in_order([s for _, s in part])
        assert row.distinct == len(set(numbers))
        assert row.total == (sum(set(numbers)) if numbers else None)
        if numbers:
            assert row.median == pytest.approx(statistics.median(numbers), rel=1e-15)
            most = max(numbers.count(n) for n in numbers)
            assert row.mode == min(n for n in numbers if numbers.count(n) == most)
        else:
            assert row.median is None
            assert row.mode is None
        assert row.set == words
        assert row.list == ("|".join(words) if words else None)


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("count(DISTINCT map(id, id))", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"),
        ("percentile(id, 1.5)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        (
            "percentile_cont(-0.1) WITHIN GROUP (ORDER BY id)",
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        ),
        ("upper('a')", "UNSUPPORTED_EXPR_FOR_WINDOW"),
        pytest.param(
            "listagg(DISTINCT id) WITHIN GROUP (ORDER BY id % 2)",
            "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT",
            marks=pytest.mark.skipif(not hasattr(F, "listagg"), reason="came with Spark 4.0"),
        ),
    ],
)
def test_invalid_calls_raise_errors_of_spark(
    spark: SparkSession, call: str, condition: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        spark.sql(f"SELECT {call} OVER (ORDER BY id) FROM range(3)").collect()
    found = error.value
    # Before Spark 4.0 the error has another name.
    name = getattr(found, "getCondition", None) or found.getErrorClass
    assert name() == condition
