"""The arguments that functions for DataFrames accept and reject; examples test the results."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import reduce
from typing import Any, get_args, get_type_hints

import muntin as mt
import pytest
from conditions import raises
from muntin import _functions
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession, Window, WindowSpec
from pyspark.sql import functions as F

pytestmark = pytest.mark.smoke


def by_id() -> WindowSpec:
    return Window.orderBy("id")


def last_three() -> WindowSpec:
    return by_id().rowsBetween(-2, 0)


def of(spark: SparkSession, column: Column, rows: int = 4) -> list[Any]:
    frame = spark.range(rows).withColumn("odd", F.col("id") % 2 == 1)
    return [row[1] for row in frame.select("id", column).orderBy("id").collect()]


def test_conditions_are_columns_or_their_names(spark: SparkSession) -> None:
    for odd in ("odd", F.col("odd")):
        assert of(spark, mt.sliding(F.sum("id"), 1, odd).over(by_id())) == [None, 1, 1, 3]
        assert of(spark, mt.since(F.count("*"), odd).over(by_id())) == [1, 2, 1, 2]


def test_aggregates_keep_their_own_clauses(spark: SparkSession) -> None:
    distinct = mt.sliding(F.count_distinct(F.col("id") % 2), 3, partial=True).over(by_id())
    assert of(spark, distinct) == [1, 2, 2, 2]


def test_rolling_by_several_columns(spark: SparkSession) -> None:
    total = mt.rolling(F.sum("id"), None, ["odd"], [F.col("odd"), "id"])
    assert of(spark, total) == [0, 1, 2, 4]


def test_over_returns_a_window_spec_of_spark(spark: SparkSession) -> None:
    half = mt.over(order_by=F.col("id").cast("long") >= 2, groups=(-1, 0), exclude="ties")
    assert of(spark, F.sum("id").over(half)) == [0, 1, 3, 4]
    others = mt.over(exclude="current row")
    assert of(spark, F.sum("id").over(others)) == [6, 5, 4, 3]
    near = mt.over(order_by="id", range=(-1, 1), exclude="group")
    assert of(spark, F.sum("id").over(near)) == [1, 2, 4, 2]
    two = mt.over("odd", "id", rows=(-1, 0))
    assert isinstance(two, type(Window.orderBy("id")))
    assert of(spark, F.sum("id").over(two)) == [0, 1, 2, 4]
    assert of(spark, F.sum("id").over(mt.over())) == [6, 6, 6, 6]
    assert of(spark, F.sum("id").over(mt.over(order_by="id", rows=(0, None)))) == [6, 6, 5, 3]
    assert of(spark, F.sum("id").over(mt.over(order_by="id", range=(-1, 1)))) == [1, 3, 6, 5]


def test_standard_syntax_in_all_sql(spark: SparkSession) -> None:
    over = "OVER (ORDER BY id DIV 2 GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)"
    assert of(spark, F.expr(f"sum(id) {over}")) == [0, 1, 3, 4]
    rows = spark.sql(f"SELECT id, sum(id) {over} AS x FROM range(4) WHERE id < :end", {"end": 3})
    assert [row.x for row in rows.orderBy("id").collect()] == [0, 1, 3]


NOONS = [datetime(2024, 3, day, 12) for day in (9, 10, 11)]
DAYS = [date(2024, 3, day) for day in (9, 10, 11)]


@pytest.mark.parametrize(
    ("times", "kind"), [(NOONS, "timestamp"), (NOONS, "timestamp_ntz"), (DAYS, "date")]
)
def test_ranges_of_time(spark: SparkSession, times: list[Any], kind: str) -> None:
    frame = spark.createDataFrame([(t, 1) for t in times], f"t {kind}, one int")

    def found(first: timedelta | None, last: timedelta | None) -> list[int]:
        window = mt.over(order_by="t", range=(first, last))
        rows = frame.select("t", F.sum("one").over(window).alias("n")).orderBy("t").collect()
        return [row.n for row in rows]

    day, zero = timedelta(days=1), timedelta(0)
    assert found(-day, zero) == [1, 2, 2]
    assert found(timedelta(microseconds=1) - day, zero) == [1, 1, 1]
    assert found(None, zero) == [1, 2, 3]
    assert found(zero, day) == [2, 2, 1]
    assert found(-day, None) == [3, 3, 2]


def test_a_day_is_24_hours_if_the_clocks_change(spark: SparkSession) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frame = spark.sql(
            "SELECT * FROM VALUES (TIMESTAMP'2024-03-09 12:00', 1), "
            "(TIMESTAMP'2024-03-10 12:00', 2), (TIMESTAMP'2024-03-10 13:00', 4) AS t(t, x)"
        )
        column = mt.rolling(F.sum("x"), timedelta(days=1), order_by="t").alias("total")
        assert [row.total for row in frame.select("t", column).orderBy("t").collect()] == [1, 3, 7]
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(zone))


def test_rate_accepts_units_of_each_kind(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT TIMESTAMP'2026-01-01' AS a, TIMESTAMP'2026-01-01 00:00:10' AS b, 1 AS p, 5 AS q"
    )
    row = frame.select(
        mt.rate("a", "b", timedelta(seconds=5)),
        mt.rate("a", "b", F.expr("INTERVAL 5 SECONDS")),
        mt.rate("p", F.col("q"), 2),
        mt.rate("p", "q", 0.5),
        mt.rate("p", "q"),
    ).first()
    assert row is not None
    assert tuple(row) == (0.5, 0.5, 0.5, 0.125, 0.25)


@pytest.mark.parametrize(
    ("field", "step", "opens"),
    [
        ("x", 2, [0.0, 2.0]),
        ("x", 0.5, [0.5, 2.0]),
        ("x", Decimal("0.5"), [0.5, 2.0]),
        ("at", timedelta(seconds=2), [datetime(2026, 1, 1, 0, 0, 4)]),
        ("at", 2.5, [datetime(2026, 1, 1, 0, 0, 5)]),
        ("day", timedelta(days=2), [date(2026, 1, 1)]),
    ],
)
def test_windows_accept_numbers_and_durations(
    spark: SparkSession, field: str, step: Any, opens: list[Any]
) -> None:
    frame = spark.sql(
        "SELECT x, TIMESTAMP_NTZ'2026-01-01 00:00:05' AS at, DATE'2026-01-02' AS day "
        "FROM VALUES (0.5D), (2.25D) AS d(x)"
    )
    windows = frame.groupBy(mt.field_window(field, step, step)).count()
    assert windows.columns == ["field_window", "count"]
    found = [row[0] for row in windows.select("field_window.open").orderBy("open").collect()]
    assert found == opens


def test_tumble_and_hop_accept_durations(spark: SparkSession) -> None:
    frame = spark.sql("SELECT TIMESTAMP'2026-03-05 23:20:00' AS at, DATE'2026-03-05' AS day")
    windows: list[tuple[Column, str]] = [
        (mt.tumble("at", timedelta(hours=1)), "2026-03-05 23:00:00"),
        (mt.tumble("at", "1 month", offset="4 days"), "2026-03-05 00:00:00"),
        (mt.tumble("at", timedelta(days=1), time_zone="+01:00"), "2026-03-05 23:00:00"),
        (mt.tumble("at", 1800), "2026-03-05 23:00:00"),
        (mt.tumble("day", "1 year"), "2026-01-01"),
        (mt.hop("at", "3 months", "3 months"), "2026-01-01 00:00:00"),
        (mt.hop("day", 7, timedelta(days=7)), "2026-03-05"),
    ]
    starts = [
        frame.groupBy(window.alias("w")).agg(F.count("*")).select(F.expr("string(w.start)"))
        for window, _ in windows
    ]
    found = reduce(DataFrame.unionAll, starts).collect()
    assert [row[0] for row in found] == [start for _, start in windows]


@pytest.mark.parametrize(
    ("call", "function", "parameter", "argument"),
    [
        (lambda mt, _: mt.sliding("x", 1), "sliding", "agg", "'x'"),
        (lambda mt, agg: mt.sliding(agg, "1"), "sliding", "n", "'1'"),
        (lambda mt, agg: mt.sliding(agg, True), "sliding", "n", "True"),
        (lambda mt, agg: mt.sliding(agg, 1, partial=1), "sliding", "partial", "1"),
        (lambda mt, agg: mt.since(agg, None), "since", "predicate", "None"),
        (lambda mt, agg: mt.framed(agg, closed=None), "framed", "closed", "None"),
        (lambda mt, agg: mt.framed(agg, complete="yes"), "framed", "complete", "'yes'"),
        (lambda mt, _: mt.is_complete("x"), "is_complete", "column", "'x'"),
        (lambda mt, _: mt.bound(None), "bound", "condition", "None"),
        (lambda mt, _: mt.partial("x"), "partial", "agg", "'x'"),
        (lambda mt, _: mt.merge_partial(1), "merge_partial", "agg", "1"),
        (lambda mt, _: mt.nth(1, 1), "nth", "col", "1"),
        (lambda mt, _: mt.nth("x", 1.0), "nth", "n", "1.0"),
        (lambda mt, _: mt.rate("x", "y", ()), "rate", "unit", "()"),
        (lambda mt, _: mt.completeness(None), "completeness", "col", "None"),
        (lambda mt, _: mt.field_window("t", b"30"), "field_window", "size", "b'30'"),
        (lambda mt, _: mt.field_window("t", 3, True), "field_window", "advance", "True"),
        (lambda mt, _: mt.field_window("t", 3, open=True), "field_window", "open", "True"),
        (lambda mt, _: mt.field_window("t", drain=0), "field_window", "drain", "0"),
        (lambda mt, _: mt.field_window(3, 3), "field_window", "field", "3"),
        (lambda mt, _: mt.ticks(7, "daily"), "ticks", "time", "7"),
        (lambda mt, _: mt.ticks("t", 7), "ticks", "schedule", "7"),
        (lambda mt, _: mt.ticks("t", "daily", 7), "ticks", "timezone", "7"),
        (lambda mt, _: mt.ticks("t", "daily", span=1.5), "ticks", "span", "1.5"),
        (lambda mt, _: mt.ticks("t", "daily", drain=0), "ticks", "drain", "0"),
        (lambda mt, agg: mt.rolling(agg, 1.5, order_by="t"), "rolling", "size", "1.5"),
        (lambda mt, agg: mt.rolling(agg, True, order_by="t"), "rolling", "size", "True"),
        (lambda mt, _: mt.over("k", "t", rows=-1), "over", "rows", "-1"),
        (lambda mt, _: mt.over("k", "t", range=(1.5, 0)), "over", "range", "(1.5, 0)"),
        (lambda mt, agg: mt.complete("df", agg), "complete", "df", "'df'"),
    ],
)
@pytest.mark.usefixtures("spark")
def test_arguments_of_a_wrong_type_are_immediate_errors(
    call: Callable[[Any, Column], Any], function: str, parameter: str, argument: str
) -> None:
    expected = {"function": function, "parameter": parameter, "argument": argument}
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", **expected):
        call(mt, F.sum("x"))


@pytest.mark.parametrize(
    ("call", "condition", "parameters"),
    [
        (lambda agg: mt.rolling(agg, 3), "MUNTIN_ROLLING_WITHOUT_ORDER", {}),
        (lambda agg: mt.rolling(agg, 3, "k", []), "MUNTIN_ROLLING_WITHOUT_ORDER", {}),
        (
            lambda agg: mt.rolling(agg, 0, order_by="t"),
            "MUNTIN_INVALID_ARGUMENT_VALUE",
            {"parameter": "size", "argument": "0"},
        ),
        (
            lambda agg: mt.rolling(agg, timedelta(-1), order_by="t"),
            "MUNTIN_INVALID_ARGUMENT_VALUE",
            {"parameter": "size", "argument": "datetime.timedelta(days=-1)"},
        ),
        (
            lambda agg: mt.rolling(agg, timedelta(1), order_by=["t", "u"]),
            "MUNTIN_RANGE_OF_SEVERAL_COLUMNS",
            {"columns": "2"},
        ),
        (
            lambda _: mt.over("k", rows=(-1, 0)),
            "MUNTIN_FRAME_WITHOUT_ORDER",
            {"frame": "rows"},
        ),
        (
            lambda _: mt.over("k", "t", rows=(-1, 0), range=(-1, 0)),
            "MUNTIN_SEVERAL_FRAMES",
            {"frames": "rows, range"},
        ),
        (
            lambda _: mt.over("k", "t", range=("1 hour", "0 seconds")),
            "MUNTIN_FRAME_ENDS_BEFORE_START",
            {"suggestion": "range=('-1 hour', '0 seconds')"},
        ),
        (
            lambda _: mt.over("k", "t", range=(timedelta(hours=1), 0)),
            "MUNTIN_FRAME_ENDS_BEFORE_START",
            {"suggestion": "range=(datetime.timedelta(days=-1, seconds=82800), 0)"},
        ),
        (
            lambda _: mt.over("k", "t", rows=(3, 0)),
            "MUNTIN_FRAME_ENDS_BEFORE_START",
            {"suggestion": "rows=(-3, 0)"},
        ),
        (
            lambda _: mt.over("k", "t", rows=(0, -3)),
            "MUNTIN_FRAME_ENDS_BEFORE_START",
            {"suggestion": "rows=(-3, 0)"},
        ),
        (
            lambda _: mt.over("k", "t", groups=(-1, -4)),
            "MUNTIN_FRAME_ENDS_BEFORE_START",
            {"suggestion": "groups=(-4, -1)"},
        ),
        (
            lambda _: mt.over("k", "t", range=(5, 2)),
            "MUNTIN_FRAME_ENDS_BEFORE_START",
            {"suggestion": "range=(-5, 2)"},
        ),
    ],
)
@pytest.mark.usefixtures("spark")
def test_invalid_windows_are_immediate_errors(
    call: Callable[[Column], Any], condition: str, parameters: dict[str, str]
) -> None:
    with raises(ValueError, condition, **parameters):
        call(F.sum("x"))


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (lambda: mt.sliding(F.sum("id"), 0).over(by_id()), "`n`"),
        (lambda: mt.sliding(F.col("id"), 1).over(by_id()), "id"),
        (lambda: mt.since(F.sum("id"), "id").over(by_id()), "`predicate`"),
        (lambda: mt.nth("id", 0), "`n`"),
        (lambda: mt.rate("id", "odd"), "MUNTIN_INCOMPATIBLE_TIMES"),
        (
            lambda: F.sum("id").over(mt.over(order_by="id", range=(timedelta(-1), None))),
            "MUNTIN_RANGE_OF_DURATIONS_WITHOUT_TIME",
        ),
    ],
)
def test_spark_reports_other_errors(
    spark: SparkSession, column: Callable[[], Column], told: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        of(spark, column())
    assert told in str(error.value)


@pytest.mark.parametrize("size", [2, timedelta(seconds=2), None])
def test_rolling_already_has_a_window(spark: SparkSession, size: int | timedelta) -> None:
    rolling = mt.rolling(F.sum("id"), size, order_by=F.timestamp_seconds("id"))
    with raises(TypeError, "MUNTIN_ROLLING_OVER_WINDOW"):
        rolling.over(by_id())
    assert len(of(spark, rolling.alias("total"))) == 4


def test_ticks_accept_every_argument(spark: SparkSession) -> None:
    noons = [(datetime(2026, 1, day, 12),) for day in (1, 2)]
    times = spark.createDataFrame(noons, "t timestamp_ntz")
    until = mt.ticks(F.col("t"), "0 0 * * *", span=None, drain=False).alias("day")
    days = times.groupBy(until).agg(F.count("*").alias("n")).collect()
    assert [(*r.day, r.n) for r in days] == [(None, datetime(2026, 1, 2), 1)]
    timestamps = times.select(F.col("t").cast("timestamp"))
    in_new_york = timestamps.groupBy(mt.ticks("t", "daily", "America/New_York"))
    assert in_new_york.agg(F.max("t")).columns == ["ticks", "max(t)"]
    with pytest.raises(AnalysisException, match="Mars"):
        timestamps.groupBy(mt.ticks("t", "daily", "Mars")).count().collect()


def test_odysseus_lists_of_every_function(spark: SparkSession) -> None:
    one = ["MAX", "min", "Avg", "SUM", "COUNT", "MEDIAN", "STDDEV", "VAR", "FIRST", "LAST"]
    lists: list[list[object]] = [[f, "id", f] for f in one]
    lists += [["CORR", ["id", "twice"], "corr"], ["COV", ["id", "twice"], "cov"]]
    lists += [["NEST", "id", "nest"], ["DISTINCTNEST", "twice", "set", "Integer"]]
    lists += [["NTH", ["id", 2], "nth", "long"], ["RATE", ["id", "twice"], "rate"]]
    lists += [["COMPLETENESS", "id", "complete"], ["COUNT", "*", "all", "Long"]]
    frame = spark.range(1, 5).withColumn("twice", F.col("id") * 2).coalesce(1)
    row = frame.agg(*mt.aggregations(lists)).first()
    assert row is not None
    assert list(row)[:10] == pytest.approx([4, 1, 2.5, 10, 4, 2.5, (5 / 3) ** 0.5, 5 / 3, 1, 4])
    assert all(isinstance(value, float) for value in list(row)[:12])
    assert row.corr == pytest.approx(1)
    assert row.cov == pytest.approx(10 / 3)
    assert row.nest == [1, 2, 3, 4]
    assert sorted(row.set) == [2, 4, 6, 8]
    assert tuple(row)[14:] == (2, 4.0, 1.0, 4)
    assert dict(frame.agg(*mt.aggregations(lists)).dtypes)["set"] == "array<int>"


PARTIALS = [("count", "count"), ("sum", "avgsum"), ("min", "min"), ("max", "max")]


def test_lists_over_partials_merge_them(spark: SparkSession) -> None:
    """Run the two consecutive operators of Odysseus' main example."""

    def pre(rows: str) -> DataFrame:
        lists = [[f, "id", name, "PartialAggregate"] for f, name in PARTIALS]
        person = spark.sql(f"SELECT * FROM VALUES {rows} AS person(id)")
        return person.agg(*mt.aggregations(lists))

    partials = pre("(1), (3), (2)").union(pre("(1), (2), (3)"))
    merged = partials.agg(
        *mt.aggregations(
            [
                ["count", "count", "count", "Integer"],
                ["sum", "avgsum", "sum", "Double"],
                ["avg", "avgsum", "avg", "Double"],
                ["min", "min", "min", "Integer"],
                ["max", "max", "max", "Integer"],
            ]
        )
    )
    assert merged.collect() == [(6, 12.0, 2.0, 1, 3)]


def test_nest_of_several_columns(spark: SparkSession) -> None:
    frame = spark.sql("SELECT * FROM VALUES (1, 'a') AS t(x, k)")
    lists: list[list[Any]] = [["NEST", "*", "all"], ["DISTINCTNEST", ["k", "x"], "some"]]
    assert frame.agg(*mt.aggregations(lists)).collect() == [([(1, "a")], [("a", 1)])]


def test_aggregations_nest_nulls_only_in_structs(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "a"), (None, "b")], "x int, y string").coalesce(1)
    lists: list[list[object]] = [
        ["NEST", "x", "one"],
        ["NEST", ["x", "y"], "several"],
        ["DISTINCTNEST", "x", "set"],
        ["DISTINCTNEST", "*", "sets"],
    ]
    row = frame.agg(*mt.aggregations(lists)).first()
    assert row is not None
    assert (row.one, row.several, row.set) == ([1], [(1, "a"), (None, "b")], [1])
    assert sorted(row.sets, key=str) == [(1, "a"), (None, "b")]


def test_aggregations_over_a_window(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, 3), (2, None), (3, 8)], "t int, x int")
    lists: list[list[object]] = [
        ["MAX", "x", "highest", "integer"],
        ["AVG", "x", "mean"],
        ["COUNT", "*", "n", "long"],
        ["MEDIAN", "x", "middle"],
        ["NEST", "x", "list", "string"],
        ["NEST", ["t", "x"], "structs"],
        ["COMPLETENESS", "x", "share"],
    ]
    columns = [c.over(Window.orderBy("t")) for c in mt.aggregations(lists)]
    over = frame.select("t", *columns).orderBy("t")
    assert over.columns == ["t", *(str(entry[2]) for entry in lists)]
    assert over.dtypes[1:5] == [
        ("highest", "int"),
        ("mean", "double"),
        ("n", "bigint"),
        ("middle", "double"),
    ]
    last = over.collect()[-1]
    structs = [(1, 3), (2, None), (3, 8)]
    assert tuple(last) == (3, 8, 5.5, 3, 5.5, ["3", "8"], structs, 2 / 3)
    named = frame.select((columns[0] + 1).alias("above"), columns[1].alias("z")).orderBy("z")
    assert named.columns == ["above", "z"]


@pytest.mark.parametrize(
    ("entry", "part", "value", "expected"),
    [
        (["SUMM", "x", "s"], "function", "'SUMM'", "one of MAX, MIN"),
        ([1, "x", "s"], "function", "1", "one of MAX, MIN"),
        (["SUM", "x"], "list", "['SUM', 'x']", "[function"),
        (("SUM", "x", "s", "double", 1), "list", "('SUM', 'x', 's', 'double', 1)", "[function"),
        ("SUM", "list", "'SUM'", "[function"),
        (["SUM", ["x", "y"], "s"], "attribute", "['x', 'y']", "one attribute"),
        (["NTH", "x", "s"], "attribute", "'x'", "a list of attribute, n"),
        (["RATE", ["a", "b", 1, 2], "s"], "attribute", "['a', 'b', 1, 2]", "a list of start, end"),
        (["RATE", ["a", "b", "s"], "s"], "unit", "'s'", "a timedelta or a number"),
        (["SUM", "*", "s"], "attribute", "'*'", "a column. Only COUNT, NEST and DISTINCTNEST"),
        (["SUM", 3, "s"], "attribute", "3", "the name of a column"),
        (["SUM", "x", ""], "name", "''", "a string"),
        (["SUM", "x", "s", "complex"], "type", "'complex'", "one of double, float"),
        (["SUM", "x", "s", 5], "type", "5", "one of double, float"),
        (["NTH", ["x", 0], "s"], "n", "0", "a positive integer"),
    ],
)
@pytest.mark.usefixtures("spark")
def test_errors_of_lists_show_the_list_and_the_expected_value(
    entry: Any, part: str, value: str, expected: str
) -> None:
    with pytest.raises(ValueError, match="MUNTIN_INVALID_AGGREGATION") as raised:
        mt.aggregations([entry])
    error: Any = raised.value
    assert error.getErrorClass() == "MUNTIN_INVALID_AGGREGATION"
    parameters = error.getMessageParameters()
    assert parameters["list"] == repr(list(entry) if isinstance(entry, tuple) else entry)
    assert (parameters["part"], parameters["value"]) == (part, value)
    assert parameters["expected"].startswith(expected)


@pytest.mark.usefixtures("spark")
def test_lists_of_structs_do_not_have_a_type() -> None:
    with raises(ValueError, "MUNTIN_TYPE_OF_STRUCTS"):
        mt.aggregations([["NEST", "*", "s", "double"]])


@pytest.mark.usefixtures("spark")
def test_names_of_results_are_unique() -> None:
    lists = [["SUM", "x", "s"], ["AVG", "x", "S"]]
    other = "['SUM', 'x', 's']"
    with raises(ValueError, "MUNTIN_DUPLICATE_AGGREGATION_NAME", name="S", other=other):
        mt.aggregations(lists)
    with raises(ValueError, "MUNTIN_INVALID_AGGREGATION", part="argument", value="'SUM'"):
        mt.aggregations("SUM")


@pytest.mark.usefixtures("spark")
def test_rolling_rejects_invalid_arguments() -> None:
    total = F.sum("id")
    value = "MUNTIN_INVALID_ARGUMENT_VALUE"
    wrong: list[tuple[dict[str, Any], str, dict[str, str]]] = [
        ({"size": "1h"}, value, {"parameter": "size", "argument": "'1h'"}),
        ({"size": "1.5 hours"}, value, {"parameter": "size", "argument": "'1.5 hours'"}),
        ({"size": "1 month"}, "MUNTIN_DURATION_WITH_MONTHS", {"argument": "'1 month'"}),
        ({"size": 3, "closed": "open"}, value, {"parameter": "closed", "argument": "'open'"}),
        ({"size": 1, "closed": "neither"}, "MUNTIN_EMPTY_ROLLING_WINDOW", {"size": "1"}),
        ({"size": 3, "min_periods": -1}, value, {"parameter": "min_periods", "argument": "-1"}),
        ({"center": True}, "MUNTIN_ROLLING_WITHOUT_SIZE", {}),
        ({"size": timedelta(microseconds=3), "center": True}, value, {"parameter": "size"}),
    ]
    for arguments, condition, parameters in wrong:
        with raises(ValueError, condition, **parameters):
            mt.rolling(total, order_by="id", **arguments)
    untyped: list[dict[str, Any]] = [{"min_periods": "2"}, {"center": 1}]
    for arguments in untyped:
        with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", function="rolling"):
            mt.rolling(total, 3, order_by="id", **arguments)


def test_durations_as_text(spark: SparkSession) -> None:
    rows = spark.range(5).select("id", F.timestamp_seconds(F.col("id") * 30).alias("at"))
    for text, length in [
        ("1 minute", timedelta(minutes=1)),
        ("interval 1 minute -30 seconds", timedelta(seconds=30)),
        ("0.5 SECONDS 1 day", timedelta(days=1, seconds=0.5)),
    ]:
        said, meant = (
            rows.select(mt.rolling(F.sum("id"), size, order_by="at").alias("r")).collect()
            for size in (text, length)
        )
        assert said == meant
    next_minute = mt.over(order_by="at", range=("0 seconds", "+1 minute"))
    found = rows.select("id", F.count("*").over(next_minute)).orderBy("id").collect()
    assert [row[1] for row in found] == [3, 3, 3, 2, 1]
    counts = rows.groupBy(mt.field_window("at", "1 minute", "1 minute")).count()
    assert sorted(row[1] for row in counts.collect()) == [1, 2, 2]


def test_columns_have_the_names_that_the_query_writes(spark: SparkSession) -> None:
    rows = spark.range(5).select("id", F.timestamp_seconds("id").alias("at"))
    last = Window.orderBy("at")
    named = rows.select(
        mt.rolling(F.sum("id"), 3, ["id"], "at"),
        mt.rolling(F.sum("id"), timedelta(hours=1), order_by="at", closed="left", center=True),
        mt.sliding(F.sum("id"), 3).over(last),
    )
    assert named.columns == [
        "rolling(sum(id), 3, id, at)",
        "rolling(sum(id), 1 hour, at, closed=left, center)",
        "sliding(sum(id), 3) OVER (ORDER BY at ASC NULLS FIRST)",
    ]


def test_window_by_accepts_a_dict(spark: SparkSession) -> None:
    rows = spark.range(3)
    found = mt.window_by(
        rows, rows.withColumnRenamed("id", "at"), time="id", start=F.col("at") - 1, end="at"
    ).agg({"id": "sum", "*": "count"})
    assert found.columns == ["at", "sum(id)", "count(1)"]
    assert sorted(tuple(row) for row in found.collect()) == [(0, 0, 1), (1, 1, 2), (2, 3, 2)]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="agg", argument="{'id': 1}"):
        mt.window_by(rows, rows, time="id", start="id", end="id").agg({"id": 1})  # type: ignore[dict-item]


def test_literal_types_equal_the_words_of_sql(spark: SparkSession) -> None:
    """Each Literal in a signature is a word that SQL accepts, and SQL accepts no other word."""
    columns: dict[str, dict[str, Callable[[Any], Column]]] = {
        "asof": {"direction": lambda word: mt.asof("id", "other", word)},
        "field_window": {"open": lambda word: mt.field_window("id", 1, 1, open=word)},
        "fill": {"method": lambda word: mt.fill("id", word).over(by_id())},
        "framed": {
            "closed": lambda word: mt.framed(F.sum("id"), closed=word).over(last_three()),
            "exclude": lambda word: mt.framed(F.sum("id"), exclude=word).over(last_three()),
        },
        "time_weighted_avg": {
            "method": lambda word: mt.time_weighted_avg("id", "id", word).over(by_id())
        },
        "validity": {"emit": lambda word: mt.validity("id", "odd", emit=word)},
    }
    frame = spark.range(3).select("id", (F.col("id") + 1).alias("odd"))

    def query(name: str, column: Column) -> DataFrame:
        if name == "asof":
            return frame.join(spark.range(3).toDF("other"), column)
        if name in ("field_window", "validity"):
            return frame.groupBy(column).count()
        return frame.select(column)

    for name, parameters in columns.items():
        hints = get_type_hints(getattr(mt, name), vars(_functions))
        for parameter, column in parameters.items():
            words = get_args(hints[parameter])
            assert words
            with pytest.raises(AnalysisException) as error:
                _ = query(name, column("another")).schema
            told = str(error.value).split("another")[1]
            assert set(re.findall(r"'([a-z ]+)'", told)) >= set(words), (name, told)
            for word in words:
                _ = query(name, column(word)).schema


def test_a_rolling_column_is_not_an_aggregate_of_a_group(spark: SparkSession) -> None:
    rows = spark.range(4).select("id", (F.col("id") % 2).alias("k"))
    rolled = mt.rolling(F.avg("id"), 3, order_by="id")
    for column in (rolled, rolled.alias("mean")):
        with pytest.raises(AnalysisException) as error:
            _ = rows.groupBy("k").agg(column).schema
        assert "[MUNTIN_ROLLING_IN_GROUP_BY]" in str(error.value)
        assert 'df.select("*", mt.rolling(…, partition_by=…))' in str(error.value)
    # A window over the groups is allowed.
    summed = mt.rolling(F.sum(F.sum("id")), order_by="k")
    assert [tuple(row) for row in rows.groupBy("k").agg(summed).orderBy("k").collect()] == [
        (0, 2),
        (1, 6),
    ]


@pytest.mark.parametrize(
    ("column", "function", "text"),
    [
        (lambda: mt.since(F.sum("id"), "id > 2").over(by_id()), "since", "id > 2"),
        (lambda: mt.sliding(F.sum("id"), 2, "id is not null").over(by_id()), "sliding", "id is"),
        (lambda: mt.fill("id + 1").over(by_id()), "fill", "id + 1"),
        (lambda: mt.time_weighted_avg("abs(id)", "id"), "time_weighted_avg", "abs(id)"),
    ],
)
def test_a_str_that_is_an_expression(
    spark: SparkSession, column: Callable[[], Column], function: str, text: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        of(spark, column())
    assert "[MUNTIN_EXPRESSION_AS_COLUMN_NAME]" in str(error.value)
    assert f"of `{function}` names the column `{text}" in str(error.value)
    assert f'F.expr("{text}' in str(error.value)


def test_a_column_whose_name_looks_like_an_expression(spark: SparkSession) -> None:
    odd = spark.range(3).select("id", (F.col("id") > 0).alias("id > 0"))
    sums = odd.select(mt.since(F.sum("id"), "id > 0").over(by_id()).alias("n")).collect()
    assert [row.n for row in sums] == [0, 1, 2]
    # Not an expression: Spark's error.
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        of(spark, mt.since(F.sum("id"), "no such column").over(by_id()))
