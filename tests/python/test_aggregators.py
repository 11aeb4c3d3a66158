"""Aggregates written in Python, in every window: classic and over Spark Connect."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import muntin as mt
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from conditions import raises
from micro_batches import LAST, Reading, in_files, over_files, streamed
from muntin.typing import ArrayFormat
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

# pyspark declares their types in files that mypy does not always find.
pandas_udf: Any = F.pandas_udf  # type: ignore[attr-defined]
arrow_udf: Any = getattr(F, "arrow_udf", None)

# Before Spark 4.0, py4j raises the error of a task.
TASK_FAILED = (PySparkException, Py4JJavaError)


def listing(
    *, merges: bool = False, retracts: bool = False, values: ArrayFormat = "list"
) -> mt.Aggregator:
    """Return an aggregate that lists all rows of the window as text."""

    class Listing:
        def __init__(self) -> None:
            self.rows: list[Any] = []

        def update(self, *columns: Any) -> None:
            lists = [c if isinstance(c, list) else c.to_pylist() for c in columns]
            self.rows += list(zip(*lists, strict=False))

        def evaluate(self) -> str:
            shown = ["|".join("-" if v is None else str(v) for v in row) for row in self.rows]
            return ", ".join(shown)

    def merge(self: Any, other: Any) -> None:
        self.rows += other.rows

    def retract(self: Any, *columns: Any) -> None:
        del self.rows[: len(columns[0])]

    if merges:
        Listing.merge = merge  # type: ignore[attr-defined]
    if retracts:
        Listing.retract = retract  # type: ignore[attr-defined]
    return mt.aggregator(Listing, returns="string", values=values)


def all_kinds() -> dict[str, mt.Aggregator]:
    def whole(x: Any, begins: Any, ends: Any) -> Any:
        shown = ["-" if v is None else str(v) for v in x]
        return [", ".join(shown[b:e]) for b, e in zip(begins, ends, strict=False)]

    return {
        "recomputed": listing(values="arrow"),
        "merged": listing(merges=True),
        "retracted": listing(retracts=True),
        "whole": mt.apply(whole, returns="string", values="list"),
    }


def shown(*columns: str) -> Column:
    """Return the text of a window by a Spark aggregate."""
    parts = [F.coalesce(F.col(c).cast("string"), F.lit("-")) for c in columns]
    return F.collect_list(F.concat_ws("|", *parts))


def text(column: Column) -> Column:
    return F.concat_ws(", ", column)


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> Iterator[DataFrame]:
    chance = random.Random(5)
    rows = [
        (
            f"k{key}",
            chance.randrange(count),
            i,
            chance.choice([None, 1, 2, 3]),
            chance.choice([None, True, False]),
        )
        for key, count in enumerate([1, 2, 300, 40, 7, 7, 7])
        for i in range(count)
    ]
    chance.shuffle(rows)
    frame = spark.createDataFrame(rows, "k string, t int, i int, x bigint, c boolean").repartition(
        2
    )
    yield frame.cache()
    frame.unpersist()


def window(*, order: bool = True) -> Any:
    keyed = Window.partitionBy("k")
    return keyed.orderBy("t", "i") if order else keyed


def same(frame: DataFrame, columns: dict[str, Column], expected: Column) -> None:
    """Check that all columns equal the expected column, and that it has several values."""
    made = frame.select(expected.alias("expected"), *[c.alias(n) for n, c in columns.items()])
    rows = made.collect()
    assert len({row["expected"] for row in rows}) > 5
    for name in columns:
        assert [row[name] for row in rows] == [row["expected"] for row in rows], name


FRAMES: dict[str, Callable[[], Any]] = {
    "ROWS 3 PRECEDING": lambda: window().rowsBetween(-3, 0),
    "ROWS 200 PRECEDING": lambda: window().rowsBetween(-200, -1),
    "ROWS BETWEEN 1 AND 2 FOLLOWING": lambda: window().rowsBetween(1, 2),
    "running": lambda: window().rowsBetween(Window.unboundedPreceding, 0),
    "rest": lambda: window().rowsBetween(0, Window.unboundedFollowing),
    "RANGE 5 PRECEDING": lambda: Window.partitionBy("k").orderBy("t").rangeBetween(-5, 0),
    "peers": lambda: Window.partitionBy("k").orderBy("t").rangeBetween(0, 0),
    "GROUPS": lambda: mt.over("k", "t", groups=(-1, 1)),
    "EXCLUDE": lambda: mt.over("k", "t", rows=(-3, 3), exclude="ties"),
    "all": lambda: Window.partitionBy("k"),
}


@pytest.mark.smoke
@pytest.mark.parametrize("frame", FRAMES)
def test_every_frame(table: DataFrame, frame: str) -> None:
    over = FRAMES[frame]()
    columns = {name: made("x").over(over) for name, made in all_kinds().items()}
    same(table, columns, text(shown("x").over(over)))


MOTIONS: dict[str, Callable[[Column], Column]] = {
    "sliding": lambda agg: mt.sliding(agg, 4),
    "sliding where": lambda agg: mt.sliding(agg, 3, F.col("c")),
    "sliding partial": lambda agg: mt.sliding(agg, 150, F.col("c"), partial=True),
    "since": lambda agg: mt.since(agg, F.col("x") == 3),
    "since twice": lambda agg: mt.since(agg, F.col("x") == 3, 2),
    "framed": lambda agg: mt.framed(agg, closed="left"),
    "framed group": lambda agg: mt.framed(agg, exclude="group"),
}


@pytest.mark.smoke
@pytest.mark.parametrize("motion", MOTIONS)
def test_every_motion(table: DataFrame, motion: str) -> None:
    over = window().rowsBetween(-5, 2) if motion.startswith("framed") else window()
    moved = MOTIONS[motion]
    columns = {name: moved(made("x")).over(over) for name, made in all_kinds().items()}
    # concat_ws converts null to "", which is the result of incomplete windows.
    rows = moved(shown("x")).over(over)
    same(table, columns, F.when(rows.isNotNull(), text(rows)))


def test_only_complete_frames(table: DataFrame) -> None:
    over = window().rowsBetween(-1, 1)
    python = mt.framed(listing()("x"), complete=True).over(over)
    rows = mt.framed(shown("x"), complete=True).over(over)
    same(table, {"python": python}, F.when(rows.isNotNull(), text(rows)))


def test_only_frames_with_enough_rows(table: DataFrame) -> None:
    over = window().rowsBetween(-5, 2)
    python = mt.framed(listing()("i"), min_periods=4).over(over)
    rows = mt.framed(shown("i"), min_periods=4).over(over)
    same(table, {"python": python}, F.when(rows.isNotNull(), text(rows)))
    rolled = mt.rolling(listing()("i"), 3, "k", ["t", "i"])
    rows = mt.rolling(shown("i"), 3, "k", ["t", "i"])
    same(table, {"python": rolled}, F.when(rows.isNotNull(), text(rows)))


@pytest.mark.smoke
def test_every_window_of_groups(spark: SparkSession) -> None:
    chance = random.Random(6)
    base = datetime(2024, 5, 1)
    rows = [
        (f"k{i % 3}", base + timedelta(minutes=10 * i + chance.randrange(9)), i % 5 or None, i)
        for i in range(120)
    ]
    frame = spark.createDataFrame(rows, "k string, at timestamp, x int, i int")
    frame = frame.withColumn("until", F.col("at") + F.expr("INTERVAL 25 MINUTES"))
    windows = {
        "field_window": mt.field_window("at", 3600, 1800),
        "hop": mt.hop("at", 2000, 3600),
        "ticks": mt.ticks("at", "hourly"),
        "validity": mt.validity("at", "until"),
    }
    for name, grouped in windows.items():
        aggs = {n: made("x", "i") for n, made in all_kinds().items() if n != "whole"}
        found = (
            frame.groupBy("k", grouped)
            .agg(
                *[agg.alias(n) for n, agg in aggs.items()],
                text(shown("x", "i")).alias("expected"),
                F.sum("x").alias("total"),
            )
            .collect()
        )
        assert len(found) > 9, name
        for row in found:
            for kind in aggs:
                assert row[kind] == row["expected"], (name, kind)


@pytest.mark.smoke
def test_window_by(spark: SparkSession) -> None:
    source = spark.createDataFrame([(t, t % 3 or None) for t in range(30)], "t int, x int")
    anchors = spark.createDataFrame([(i, i * 2, i * 3) for i in range(12)], "n int, lo int, hi int")
    found = (
        mt.window_by(source, anchors, time="t", start="lo", end="hi")
        .agg(
            listing(merges=True)("x", "t").alias("python"),
            text(shown("x", "t")).alias("expected"),
            F.count("*").alias("n rows"),
        )
        .collect()
    )
    assert len(found) == 12
    assert all(row["python"] == row["expected"] for row in found)


@pytest.mark.smoke
def test_group_by(table: DataFrame) -> None:
    for name, made in all_kinds().items():
        # The rows of a group do not have an order.
        found = (
            table.where("x IS NULL OR x = 2").groupBy("k").agg(made("x").alias("rows")).collect()
        )
        counts = {row["k"]: (row["rows"].count("2"), row["rows"].count("-")) for row in found}
        expected = (
            table.groupBy("k")
            .agg(F.expr("count_if(x = 2)"), F.expr("count_if(x IS NULL)"))
            .collect()
        )
        assert counts == {row[0]: (row[1], row[2]) for row in expected if row[1] + row[2]}, name


@pytest.mark.smoke
def test_group_by_with_spark_aggregates(table: DataFrame) -> None:
    counted = mt.apply(lambda _, begins, ends: ends - begins, returns="bigint")
    frame = (
        table.rollup((F.col("i") % 2).alias("odd"))
        .agg(
            counted("x").alias("a"),
            F.count("*").alias("b"),
            (counted("i") + F.max("i") + F.lit(1)).alias("c"),
            (F.count("*") + F.max("i") + F.lit(1)).alias("d"),
        )
        .where("a > 1")
        .orderBy("odd")
    )
    assert frame.columns == ["odd", "a", "b", "c", "d"]
    rows = frame.collect()
    assert [row["odd"] for row in rows] == [None, 0, 1]
    assert all(row["a"] == row["b"] and row["c"] == row["d"] for row in rows)


@pytest.mark.smoke
def test_every_type(spark: SparkSession) -> None:
    at = datetime(2024, 5, 1, 12, 30, 15, 123456)
    kinds: dict[str, list[Any]] = {
        "boolean": [True, None, False],
        "tinyint": [1, None, -3],
        "bigint": [2**62, None, -(2**62)],
        "float": [0.5, None, -0.25],
        "double": [0.1, None, 1e300],
        "decimal(20,3)": [Decimal("1.250"), None, Decimal("99999999999999999.999")],
        "string": ["", None, "größer"],
        "binary": [bytearray(b"a"), None, bytearray()],
        "date": [date(2024, 2, 29), None, date(1970, 1, 1)],
        "timestamp": [at, None, datetime(1969, 12, 31)],
        "timestamp_ntz": [at, None, datetime(1969, 12, 31)],
        "array<int>": [[1, None], None, []],
        "struct<a:int,b:string>": [(1, None), None, (None, "x")],
        "map<string,int>": [{"a": 1}, None, {}],
    }

    class First:
        def __init__(self) -> None:
            self.row = None

        def update(self, x: pa.Array) -> None:
            self.row = x[0].as_py()

        def evaluate(self) -> Any:
            return self.row

    if arrow_udf is None:  # Spark rejects such results before 4.1
        del kinds["struct<a:int,b:string>"]
    for kind, values in kinds.items():
        frame = spark.createDataFrame(list(enumerate(values)), f"i int, x {kind}")
        first = mt.aggregator(First, returns=kind)
        each = first("x").over(Window.orderBy("i").rowsBetween(0, 0))
        rows = frame.select("i", "x", each.alias("y")).orderBy("i").collect()
        assert [row["y"] for row in rows] == [row["x"] for row in rows], kind


@pytest.mark.smoke
def test_several_in_one_query_with_spark_aggregates(table: DataFrame) -> None:
    near, all_rows = window().rowsBetween(-2, 0), Window.partitionBy("k")
    frame = table.select(
        "k",
        "i",
        listing(retracts=True)("x", "i").over(near).alias("a"),
        F.sum("x").over(near).alias("total"),
        mt.sliding(listing()("i"), 2).over(window()).alias("b"),
        mt.sliding(F.max("i"), 2).over(window()).alias("newest"),
        F.length(listing(merges=True)("i").over(all_rows)).alias("size"),
        text(shown("x", "i").over(near)).alias("a expected"),
        text(mt.sliding(shown("i"), 2).over(window())).alias("b expected"),
        F.length(text(shown("i").over(all_rows))).alias("size expected"),
    )
    assert frame.columns[2:7] == ["a", "total", "b", "newest", "size"]
    for row in frame.collect():
        assert row["a"] == row["a expected"]
        assert (row["b"] or "") == row["b expected"]
        assert row["size"] == row["size expected"]


@contextmanager
def by_spark(spark: SparkSession) -> Iterator[None]:
    """Run standard windows with Spark's operators."""
    spark.conf.set("spark.muntin.over.enabled", "false")
    try:
        yield
    finally:
        spark.conf.unset("spark.muntin.over.enabled")


def is_muntins(frame: DataFrame, capsys: pytest.CaptureFixture[str]) -> bool:
    """Return whether Muntin runs the windows, from EXPLAIN, which also works on a client."""
    capsys.readouterr()
    frame.explain()
    return "MuntinPythonWindows" in capsys.readouterr().out


PLAIN: dict[str, tuple[Callable[..., Any], str]] = {
    "mean": (lambda v: v.mean(), "double"),
    "count": (lambda v: v.count(), "bigint"),
    "size": (lambda v: len(v), "int"),
    "largest": (lambda v: v.max() if len(v) else None, "double"),
}


@pytest.mark.smoke
@pytest.mark.parametrize("frame", [f for f in FRAMES if f not in ("GROUPS", "EXCLUDE")])
def test_pandas_udfs(spark: SparkSession, table: DataFrame, frame: str) -> None:
    over = FRAMES[frame]()
    columns = []
    for name, (function, returns) in PLAIN.items():
        function.__annotations__ = {"v": pd.Series, "return": float}
        columns.append(pandas_udf(function, returns)("x").over(over).alias(name))
    query = table.select("k", "t", "i", "x", *columns)
    ours = sorted(map(tuple, query.collect()), key=str)
    with by_spark(spark):
        sparks = sorted(map(tuple, table.select("k", "t", "i", "x", *columns).collect()), key=str)
    assert ours == sparks
    assert len({row[4:] for row in ours}) > 5


@pytest.mark.smoke
def test_pandas_udfs_in_every_motion(table: DataFrame) -> None:
    def pairs(v: pd.Series, i: pd.Series) -> str:
        return ", ".join("-" if np.isnan(a) else f"{a:.0f}|{b}" for a, b in zip(v, i, strict=False))

    pairs.__annotations__ = {"v": pd.Series, "i": pd.Series, "return": str}
    udf = pandas_udf(pairs, "string")
    listed = F.collect_list(
        F.when(F.col("x").isNull(), "-").otherwise(F.concat_ws("|", F.col("x"), F.col("i")))
    )
    for name in ("sliding", "sliding where", "since"):
        moved = MOTIONS[name]
        expected = moved(listed).over(window())
        same(
            table,
            {name: moved(udf("x", "i")).over(window())},
            F.when(expected.isNotNull(), text(expected)),
        )


@pytest.mark.skipif(arrow_udf is None, reason="Arrow UDFs came with Spark 4.1")
def test_arrow_udfs(table: DataFrame) -> None:
    def total(x: pa.Array) -> Any:
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        return pc.sum(x)

    total.__annotations__ = {"x": pa.Array, "return": pa.Scalar}
    udf = arrow_udf(total, "bigint")
    frame = table.select(
        udf("x").over(window().rowsBetween(-3, 1)).alias("python"),
        F.sum("x").over(window().rowsBetween(-3, 1)).alias("sum"),
        mt.sliding(udf("x"), 3).over(window()).alias("python 3"),
        mt.sliding(F.sum("x"), 3).over(window()).alias("sum 3"),
    )
    rows = frame.collect()
    assert all(row[0] == row[1] and row[2] == row[3] for row in rows)
    assert len({row[1] for row in rows}) > 3


def test_times_use_the_session_time_zone(spark: SparkSession) -> None:
    def first(x: pd.Series) -> Any:
        return x.iloc[0]

    first.__annotations__ = {"x": pd.Series, "return": datetime}
    at = spark.sql(
        "SELECT TIMESTAMP '2024-07-01 12:00:00' + make_dt_interval(0, id) AS at FROM range(4)"
    )
    over = Window.orderBy("at").rowsBetween(-1, 0)
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        made = at.select(
            pandas_udf(first, "timestamp")("at").over(over).alias("x"),
            F.first("at").over(over).alias("y"),
        )
        assert made.where("x = y").count() == 4
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_registered_udfs_in_sql(table: DataFrame, spark: SparkSession) -> None:
    table.createOrReplaceTempView("python_table")
    spark.udf.register("lengths", pandas_udf(*with_hints(lambda v: len(v), "int")))
    rows = spark.sql(
        """SELECT lengths(x) OVER (w ROWS 4 PRECEDING) AS python,
                  count(*) OVER (w ROWS 4 PRECEDING) AS n,
                  sliding(lengths(x), 3, c, partial => true) OVER w AS python_3,
                  sliding(count(*), 3, c, partial => true) OVER w AS n_3,
                  lengths(x) OVER (w GROUPS 1 PRECEDING EXCLUDE CURRENT ROW) AS python_groups,
                  count(*) OVER (w GROUPS 1 PRECEDING EXCLUDE CURRENT ROW) AS n_groups
           FROM python_table
           WINDOW w AS (PARTITION BY k ORDER BY t)"""
    ).collect()
    for row in rows:
        assert row["python"] == row["n"]
        assert row["python_3"] == row["n_3"]
        assert row["python_groups"] == row["n_groups"]
    for name in ("n", "n_3", "n_groups"):
        assert len({row[name] for row in rows}) > 3


@pytest.mark.smoke
def test_explain_shows_which_operator_runs(
    table: DataFrame, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    mean = pandas_udf(*with_hints(lambda v: v.mean(), "double"))
    frame = table.select(mean("x").over(window().rowsBetween(-3, 0)))
    assert is_muntins(frame, capsys)
    # Spark's operator converts structs to DataFrames.
    struct = F.struct("x", "i")
    first = pandas_udf(*with_hints(lambda v: len(v), "int"))(struct)
    assert not is_muntins(table.select(first.over(window().rowsBetween(-3, 0))), capsys)
    with pytest.raises(AnalysisException, match="MUNTIN_UNSUPPORTED_PYTHON_WINDOW"):
        table.select(mt.sliding(first, 3).over(window())).collect()
    assert is_muntins(table.select(listing()(struct).over(window())), capsys)
    with by_spark(spark):
        assert not is_muntins(table.select(mean("x").over(window().rowsBetween(-3, 0))), capsys)


def with_hints(function: Callable[..., Any], returns: str) -> tuple[Callable[..., Any], str]:
    function.__annotations__ = {"v": pd.Series, "return": float}
    return function, returns


@pytest.mark.smoke
def test_one_large_partition_is_not_split(spark: SparkSession) -> None:
    """The rows of a Python aggregate are in one task, even if other windows would be split."""
    frame = spark.range(3000).selectExpr("id", "id % 2 AS k").repartition(3)
    over = Window.partitionBy("k").orderBy("id").rowsBetween(-70, 1)
    text_of = listing(merges=True)("id").over(over)
    spark.conf.set("spark.muntin.split.forceChunks", "3")
    try:
        found = frame.select(text_of.alias("x"), text(shown("id").over(over)).alias("y"))
        assert found.where("x = y").count() == 3000
    finally:
        spark.conf.unset("spark.muntin.split.forceChunks")


def test_many_small_partitions_and_one_large(spark: SparkSession) -> None:
    frame = spark.range(60_000).selectExpr("id", "if(id < 40000, id, 40000) AS k")
    over = Window.partitionBy("k").orderBy("id").rowsBetween(-99, 0)
    counted = mt.apply(lambda _, begins, ends: ends - begins, returns="bigint")
    found = frame.select(counted("id").over(over).alias("n"), F.count("id").over(over).alias("m"))
    assert found.where("n = m").count() == 60_000


def test_a_table_without_rows(table: DataFrame) -> None:
    over = window().rowsBetween(-1, 0)
    assert table.where("k = 'none'").select(listing()("x").over(over)).collect() == []
    # Without PARTITION BY, and without a column except the result.
    alone = table.limit(3).select(listing()(F.lit(1)).over(Window.orderBy("i")))
    assert sorted(row[0] for row in alone.collect()) == ["1", "1, 1", "1, 1, 1"]


def test_an_error_in_a_user_class_has_its_traceback(table: DataFrame) -> None:
    class Broken:
        def update(self, _: pa.Array) -> None:
            raise KeyError("no such thing")

        def evaluate(self) -> int:
            return 1

    broken = mt.aggregator(Broken, returns="int")
    with pytest.raises(TASK_FAILED, match=r"(?s)in update.*no such thing"):
        table.select(broken("x").over(window())).collect()


def test_a_result_of_another_type_is_shown(table: DataFrame) -> None:
    class Wrong:
        def update(self, x: pa.Array) -> None:
            pass

        def evaluate(self) -> str:
            return "seven"

    wrong = mt.aggregator(Wrong, returns="int")
    with pytest.raises(TASK_FAILED, match="Wrong returns int, and returned 'seven', a str"):
        table.select(wrong("x").over(window())).collect()


def test_a_class_without_required_methods_is_rejected() -> None:
    class Nothing:
        pass

    class Half:
        def update(self, x: Any) -> None: ...

    class Needs(Half):
        def __init__(self, size: int) -> None: ...
        def evaluate(self) -> None: ...

    class Odd(Half):
        retract = 3

        def evaluate(self) -> None: ...

    with raises(TypeError, "MUNTIN_AGGREGATOR_WITHOUT_METHOD", method="update(self, x)"):
        mt.aggregator(Nothing, returns="int")
    with raises(TypeError, "MUNTIN_AGGREGATOR_WITHOUT_METHOD", method="evaluate(self)"):
        mt.aggregator(Half, returns="int")
    with raises(TypeError, "MUNTIN_AGGREGATOR_WITH_ARGUMENTS", aggregator="Needs"):
        mt.aggregator(Needs, returns="int")
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="Odd.retract"):
        mt.aggregator(Odd, returns="int")
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="cls", argument="3"):
        mt.aggregator(3, returns="int")  # type: ignore[call-overload]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="returns", argument="7"):
        mt.aggregator(Nothing, returns=7)  # type: ignore[call-overload]
    with raises(ValueError, "MUNTIN_INVALID_ARGUMENT_VALUE", argument="'polars'"):
        mt.aggregator(Nothing, returns="int", values="polars")  # type: ignore[call-overload]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", function="apply"):
        mt.apply(Half, returns="int")


def test_columns_are_columns() -> None:
    one = listing()
    with raises(TypeError, "MUNTIN_AGGREGATOR_WITHOUT_COLUMNS", function="Listing"):
        one()
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", function="Listing", argument="3"):
        one("x", 3)  # type: ignore[arg-type]
    assert repr(one) == "muntin.Aggregator(Listing, returns='string')"


def test_partials_and_distinct_reject_python_aggregates(table: DataFrame) -> None:
    with pytest.raises(AnalysisException, match="MUNTIN_GROUPED_PYTHON_AGGREGATE"):
        table.select(mt.partial(listing()("x"))).collect()


READINGS: list[list[Reading]] = [
    [("a", 10, 1, 1.5), ("b", 0, 2, -2.0), ("a", 5, 3, 4.0), ("a", 12, 4, 0.5)],
    [("a", 11, 5, -3.0), ("b", 40, 6, None), (None, 35, 7, 7.25), ("a", 31, 8, 0.25)],
    [("a", 28, 9, -3.0), ("b", 41, 10, 2.0), ("b", 85, 11, 4.0), (None, 80, 12, -0.5)],
    [("a", 130, 13, 0.5), ("b", 120, 14, 1.0), ("b", 200, 15, 1.0)],
    [LAST],
]


@pytest.mark.streams
@pytest.mark.smoke
def test_on_streams(spark: SparkSession, tmp_path: Path) -> None:
    files = in_files(tmp_path, READINGS)

    def over(frame: DataFrame) -> DataFrame:
        minute = mt.over("k", "t", range=("-1 minute", "0 seconds"))
        return frame.select(
            "i",
            listing(merges=True)("x", "i").over(minute).alias("minute"),
            mt.sliding(listing()("i"), 2).over(Window.partitionBy("k").orderBy("t")).alias("two"),
            F.sum("x").over(minute).alias("total"),
        )

    found = streamed(spark, files, over)
    assert found.rows == over_files(spark, files, over)
    assert len({row[1] for row in found.rows}) == len(found.rows) == 15


@pytest.mark.streams
def test_windows_of_groups_on_streams(spark: SparkSession, tmp_path: Path) -> None:
    files = in_files(tmp_path, READINGS)

    def grouped(frame: DataFrame) -> DataFrame:
        windows = frame.groupBy("k", mt.field_window("t", 60, 60))
        rows = listing(merges=True)("x", "i").alias("rows")
        return windows.agg(F.max("i").alias("i"), rows, F.count("*").alias("n"))

    spark.conf.set("spark.muntin.stream.drain", "false")
    try:
        found = streamed(spark, files, grouped)
    finally:
        spark.conf.unset("spark.muntin.stream.drain")
    expected = over_files(spark, files, grouped)
    # Rows with equal times are in any order.
    assert {(r[0], r[3].count("|"), r[4]) for r in found.rows} == {
        (r[0], r[3].count("|"), r[4]) for r in expected
    }
    assert len(found.rows) > 4
