"""docs/limitations.md: a query for each statement, which fails, runs or differs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import muntin as mt
import pandas as pd  # type: ignore[import-untyped]
import pytest
from installed import OPERATOR, ROOT
from page_tables import Names, evaluated
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

PAGE = ROOT / "docs/limitations.md"

# These sections are about platforms and costs.
WITHOUT_QUERIES = {"Limitations", "Platforms", "Cost"}

# These need a Scala class (MergeOnlySuite tests the first), or a session without the jar.
WITHOUT_PYTHON = (
    "Aggregators that are marked as not deterministic",
    "Third-party window functions that need the partition's size",
    "A session without the jar",
)


@dataclass(frozen=True)
class Query:
    """A query that shows a statement of the page; `of` is a fragment of the statement."""

    of: str
    code: str
    says: str | None = None  # part of the error; None if the query runs
    gives: list[Any] | None = None  # the values of the last column; None for any
    is_sparks: bool = False  # whether Spark's own operator runs it

    def __str__(self) -> str:
        return f"{self.of}: {self.code}"


def over(words: str, table: str = "numbers") -> str:
    return f"SELECT {words} FROM {table}"


NOT_KEPT = "[MUNTIN_UNBOUNDED_STATE_ON_STREAM]"
NOT_CONSTANT = "literal"
OVER_STREAM = "late.select(F.sum('value').over(mt.over(order_by='timestamp')))"
AHEAD = "(SELECT timestamp, lead(value) OVER (ORDER BY timestamp) AS n FROM late)"
MINUTES = "tumble(timestamp, '1 minute')"
WRITTEN = f"{OVER_STREAM}.writeStream.format('noop')"
OVER_AHEAD = f"SELECT sum(n) FROM {AHEAD} GROUP BY {MINUTES}"
TICKS = "SELECT count(*) FROM late GROUP BY ticks(timestamp, 'minutely')"

QUERIES = [
    Query("pandas UDFs over structs", "numbers.select(of_struct())", is_sparks=True),
    Query(
        "`session_window`",
        over("sum(n)") + " GROUP BY session_window(at, '1 hour')",
        is_sparks=True,
    ),
    Query(
        "Spark's own `window`", over("sum(n)") + " GROUP BY window(at, '1 hour')", is_sparks=True
    ),
    Query("correctly rounded", over("sum(big) OVER ()"), gives=[1.0, 1.0, 1.0]),
    Query("several values are most frequent", over("mode(n) OVER ()"), gives=[0, 0, 0]),
    Query("the exact value at the rank", over("percentile_approx(n, 0.5) OVER ()"), gives=[1] * 3),
    Query(
        "a sum of decimals that overflows",
        over("sum(CAST(9e37BD AS DECIMAL(38, 0))) OVER (ORDER BY n)"),
        says="ARITHMETIC_OVERFLOW",
    ),
    Query(
        "divides only the rows that pass",
        over("sum(10 / n) FILTER (WHERE n <> 0) OVER (ORDER BY n)"),
        gives=[None, 10.0, 15.0],
    ),
    Query(
        "lists its rows in VALUES",
        over("sum(10 / x) FILTER (WHERE x <> 0) OVER ()", "VALUES (0), (1) AS v(x)"),
        says="DIVIDE_BY_ZERO",
    ),
    Query("output mode is `append`", OVER_STREAM),
    Query(
        "`complete` is rejected",
        f"{WRITTEN}.outputMode('complete').start()",
        says="[MUNTIN_COMPLETE_MODE_OF_WINDOWS]",
    ),
    Query(
        "early answers if the anchors are a stream",
        "early(late.withColumn('a', F.col('timestamp')))",
    ),
    Query(
        "If the anchors are a table",
        "early(numbers.select(F.col('at').alias('a')))",
        says="[MUNTIN_UPDATE_MODE_WITH_TABLE_OF_ANCHORS]",
    ),
    Query(
        "Frames that end with the partition",
        over(
            "sum(value) OVER (ORDER BY timestamp ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING)",
            "late",
        ),
        says="[MUNTIN_UNBOUNDED_FRAME_ON_STREAM]",
    ),
    Query(
        "So are lists", over("collect_list(value) OVER (ORDER BY timestamp)", "late"), says=NOT_KEPT
    ),
    Query("medians", over("median(value) OVER (ORDER BY timestamp)", "late"), says=NOT_KEPT),
    Query(
        "DISTINCT over all rows",
        over("count(DISTINCT value) OVER (ORDER BY timestamp)", "late"),
        says=NOT_KEPT,
    ),
    Query(
        "an ascending TIMESTAMP",
        over("sum(value) OVER (ORDER BY timestamp DESC)", "late"),
        says="[MUNTIN_DESCENDING_TIME_ON_STREAM]",
    ),
    Query(
        "first column of ORDER BY",
        over("sum(value) OVER (ORDER BY value, timestamp)", "late"),
        says="[MUNTIN_NUMERIC_TIME_ON_STREAM]",
    ),
    Query("In the order `group`", f"by_group({TICKS!r})", says="[MUNTIN_WINDOWS_OF_ALL_GROUPS]"),
    Query(
        "windows over windows",
        f"by_group({OVER_AHEAD!r})",
        says="[MUNTIN_UPSTREAM_WAITS_IN_GROUP_ORDER]",
    ),
    Query("also be a whole number", "by_arrival('BIGINT')"),
    Query("a DECIMAL of at most", "by_arrival('DECIMAL(18, 2)')"),
    Query(
        "at most 18 digits",
        "by_arrival('DECIMAL(19, 2)')",
        says="[MUNTIN_NUMERIC_TIME_ON_STREAM]",
    ),
    Query("all downstream windows", f"SELECT sum(n) FROM {AHEAD} GROUP BY {MINUTES}"),
    Query(
        "stateful operators are rejected",
        f"SELECT sum(n) FROM {AHEAD} GROUP BY window(timestamp, '1 minute')",
        says="[MUNTIN_ROWS_LAG_WATERMARK]",
    ),
    Query(
        "Top-N over a stream",
        over("row_number() OVER (ORDER BY value DESC) AS place", "late") + " QUALIFY place <= 2",
        says="[MUNTIN_DESCENDING_TIME_ON_STREAM]",
    ),
    Query(
        "Continuous triggers are rejected",
        f"{WRITTEN}.trigger(continuous='1 second').start()",
        says="[MUNTIN_UNSUPPORTED_TRIGGER]",
    ),
    Query(
        "It requires `spark.muntin.stream.order=group`",
        "late.groupBy(mt.tumble('timestamp', '1 minute')).agg(F.sum('value'))"
        ".writeStream.format('noop').outputMode('update').trigger(realTime='5 seconds').start()",
        says="ealTime",
    ),
    Query("MATCH_RECOGNIZE", "SELECT * FROM numbers MATCH_RECOGNIZE (ORDER BY at)", says="SYNTAX"),
    Query("Window shapes", over("hann(n) OVER (ORDER BY at)"), says="UNRESOLVED_ROUTINE"),
    Query(
        "in `field_window`", over("sum(n)") + " GROUP BY field_window(at, n, n)", says=NOT_CONSTANT
    ),
    Query("`sliding` and", over("sliding(sum(n), n) OVER (ORDER BY at)"), says="integer literal"),
    Query(
        "`sessions`: their sizes", over("sum(n)") + " GROUP BY sessions(at, n)", says=NOT_CONSTANT
    ),
    Query(
        "the offsets of its frame",
        over("sum(n) OVER (ORDER BY at ROWS n PRECEDING)"),
        gives=[0, 1, 3],
    ),
    Query("each anchor specifies its start", "around(F.col('n'))", gives=[2, 3, 3]),
    Query(
        "Two window functions",
        over("sum(n)") + " GROUP BY field_window(at, 60, 60), field_window(n, 1, 1)",
        says="MUNTIN_SEVERAL_WINDOWS_IN_GROUP_BY",
    ),
    Query(
        "ORDER BY in `mode`", over("mode(n ORDER BY at) OVER ()"), says="MUNTIN_MODE_IN_OTHER_ORDER"
    ),
    Query("with DESC the greatest", over("mode(n ORDER BY n DESC) OVER ()"), gives=[2, 2, 2]),
]


def first(rows: pd.DataFrame) -> float:
    return float(rows.iloc[0, 0])


def statements() -> Iterator[str]:
    """Return the items and the prose of the page, except statements without queries."""
    for part in re.split(r"^##? ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
        head, _, text = part.partition("\n")
        if head not in WITHOUT_QUERIES:
            for statement in re.split(r"\n\n|^- ", text, flags=re.MULTILINE):
                if words := " ".join(statement.split()):
                    yield words


@pytest.fixture(scope="module")
def names(spark: SparkSession) -> Names:
    spark.range(3).selectExpr(
        "id AS n",
        "timestamp_seconds(id) AS at",
        "element_at(array(1e16D, 1D, -1e16D), INT(id + 1)) AS big",
    ).createOrReplaceTempView("numbers")
    late = spark.readStream.format("rate").load().withWatermark("timestamp", "1 minute")
    late.createOrReplaceTempView("late")
    numbers = spark.table("numbers")

    of_first = F.pandas_udf(first, "double")  # type: ignore[attr-defined]

    def of_struct() -> Column:
        column: Column = of_first(F.struct("n")).over(mt.over("n"))
        return column

    def early(anchors: DataFrame) -> None:
        windows = mt.window_by(late, anchors, time="timestamp", start="a", end="a", obsolete="a")
        counts = windows.agg(F.count("*"))
        counts.writeStream.format("noop").outputMode("update").start().stop()

    def by_arrival(kind: str) -> list[str]:
        spark.conf.set("spark.muntin.stream.order", "arrival")
        try:
            cast = late.withColumn("t", F.col("value").cast(kind.lower()))
            return cast.select(F.sum("value").over(mt.over(order_by="t"))).columns
        finally:
            spark.conf.unset("spark.muntin.stream.order")

    def by_group(text: str) -> list[str]:
        spark.conf.set("spark.muntin.stream.order", "group")
        try:
            return spark.sql(text).columns
        finally:
            spark.conf.unset("spark.muntin.stream.order")

    def around(width: Column) -> DataFrame:
        windows = mt.window_by(
            numbers,
            numbers.select(width.alias("m")),
            time="n",
            start=F.lit(2) - F.col("m"),
            end=F.lit(2),
        )
        return windows.agg(F.sum("n").alias("total"))

    return {"spark": spark, "mt": mt, "F": F, **locals()}


@pytest.mark.packaging
def test_every_statement_has_a_query() -> None:
    said = list(statements())
    assert len(said) >= 15
    shown = [*(query.of for query in QUERIES), *WITHOUT_PYTHON]
    assert [text for text in said if not any(words in text for words in shown)] == []
    assert [words for words in shown if not any(words in text for text in said)] == []


@pytest.mark.once
@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_the_statements_are_true(names: Names, query: Query) -> None:
    if query.says is not None:
        with pytest.raises(Exception, match=re.escape(query.says)):
            result(query, names)
        return
    frame = result(query, names)
    if query.gives is not None:
        assert sorted((row[-1] for row in frame.collect()), key=str) == sorted(query.gives, key=str)
    if query.is_sparks:
        assert OPERATOR not in frame._jdf.queryExecution().toString()


def result(query: Query, names: Names) -> Any:
    found = evaluated(query.code, names)
    if isinstance(found, DataFrame):
        found.schema if found.isStreaming or query.is_sparks else found.collect()
    return found
