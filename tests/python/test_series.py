"""Sessions, filled gaps, grids and overlaps equal pandas and Polars."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import muntin as mt
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from conditions import raises
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, Window, WindowSpec
from pyspark.sql import functions as F

Method = Literal["linear", "last", "next", "nearest"]

ORIGIN = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def _readings(seed: int, count: int = 80, *, missing: float = 0.0) -> pd.DataFrame:
    """Return ordered readings of two sensors, with unique pairs of sensor and second."""
    drawn = random.Random(seed)
    keys = {(drawn.choice("ab"), drawn.randrange(3000)) for _ in range(count)}
    return pd.DataFrame(
        [
            (
                k,
                ORIGIN + timedelta(seconds=s),
                float("nan") if drawn.random() < missing else drawn.randrange(100) / 4,
            )
            for k, s in sorted(keys)
        ],
        columns=["k", "at", "x"],
    )


def _frame(spark: SparkSession, rows: pd.DataFrame) -> DataFrame:
    """Return the rows with NaN as null."""
    values = [
        (row.k, row.at.to_pydatetime(), None if pd.isna(row.x) else float(row.x))
        for row in rows.itertuples()
    ]
    return spark.createDataFrame(values, "k string, at timestamp, x double")


def _seconds(at: Any) -> int:
    return int(round(pd.Timestamp(at).timestamp()) - ORIGIN.timestamp())


def _told(rows: pd.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(
        (
            row.k,
            _seconds(row.at),
            *(
                None if pd.isna(v := getattr(row, name)) else pytest.approx(float(v))
                for name in columns
            ),
        )
        for row in rows.itertuples()
    )


def _found(frame: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    wanted = frame.select("k", F.unix_seconds("at").alias("s"), *columns)
    rows = [(r[0], r[1] - int(ORIGIN.timestamp()), *r[2:]) for r in wanted.collect()]
    return sorted(rows, key=lambda row: row[:2])


def _by_time() -> WindowSpec:
    return Window.partitionBy("k").orderBy("at")


@pytest.mark.smoke
def test_sessions_equal_pandas(spark: SparkSession) -> None:
    rows = _readings(1)
    gap = timedelta(seconds=60)
    apart = rows.groupby("k")["at"].diff() > gap
    rows["n"] = 1 + apart.groupby(rows["k"]).cumsum()
    rows["total"] = rows.groupby(["k", "n"])["x"].cumsum()
    frame = _frame(spark, rows)
    numbered = frame.select(
        "k",
        "at",
        mt.session_number(gap).over(_by_time()).alias("n"),
        mt.session(F.sum("x"), "1 minute").over(_by_time()).alias("total"),
    )
    assert _found(numbered, "n", "total") == _told(rows, "n", "total")
    whole = rows.groupby(["k", "n"]).agg(at=("at", "min"), end=("at", "max"), x=("x", "median"))
    grouped = frame.groupBy("k", mt.sessions("at", 60)).agg(F.median("x").alias("x"))
    told = grouped.select(
        "k", F.col("sessions.start").alias("at"), F.unix_seconds("sessions.end").alias("end"), "x"
    )
    whole = whole.reset_index()
    whole["end"] = [e.timestamp() + 60 for e in whole["end"]]
    assert _found(told, "end", "x") == _told(whole, "end", "x")


@pytest.mark.smoke
@pytest.mark.parametrize("max_gap", [None, timedelta(seconds=90)])
def test_fill_equals_pandas(spark: SparkSession, max_gap: timedelta | None) -> None:
    rows = _readings(2, missing=0.5)
    series = [group.set_index("at")["x"] for _, group in rows.groupby("k")]

    def of(fill: Any) -> list[float]:
        return [value for s in series for value in fill(s)]

    def within(s: pd.Series, filled: pd.Series, far: Any) -> pd.Series:
        return filled if max_gap is None else filled.where(s.notna() | (far <= max_gap))

    def times(s: pd.Series) -> tuple[Any, Any, Any]:
        at = s.index.to_series()
        there = at.where(s.notna())
        return at, there.ffill(), there.bfill()

    def line(s: pd.Series) -> pd.Series:
        _, before, after = times(s)
        return within(s, s.interpolate("time", limit_area="inside"), after - before)

    def last(s: pd.Series) -> pd.Series:
        at, before, _ = times(s)
        return within(s, s.ffill(), at - before)

    def following(s: pd.Series) -> pd.Series:
        at, _, after = times(s)
        return within(s, s.bfill(), after - at)

    def nearest(s: pd.Series) -> pd.Series:
        at, before, after = times(s)
        far = pd.Timedelta(days=9)
        back, on = (at - before).fillna(far), (after - at).fillna(far)
        return within(s, s.ffill().where(back <= on, s.bfill()), back.where(back <= on, on))

    rows["linear"], rows["last"] = of(line), of(last)
    rows["next"], rows["nearest"] = of(following), of(nearest)
    methods: list[Method] = ["linear", "last", "next", "nearest"]
    filled = _frame(spark, rows).select(
        "k", "at", *(mt.fill("x", m, max_gap).over(_by_time()).alias(m) for m in methods)
    )
    assert _found(filled, *methods) == _told(rows, *methods)


def _resampled(rows: pd.DataFrame, of: Any) -> pd.DataFrame:
    """Return the grid of each group: the steps from its first row to its last."""
    made = []
    for k, group in rows.groupby("k"):
        s = group.set_index("at")["x"]
        grid = of(s)
        made.append(grid.reset_index(names="at").assign(k=k))
    return pd.concat(made)


@pytest.mark.once
@pytest.mark.parametrize("method", ["last", "next", "nearest", "linear"])
def test_resample_fill_equals_pandas_reindex(spark: SparkSession, method: Method) -> None:
    rows = _readings(3)

    def of(s: pd.Series) -> pd.DataFrame:
        grid = pd.date_range(s.index[0].ceil("1min"), s.index[-1].floor("1min"), freq="1min")
        if method == "linear":
            x = s.reindex(s.index.union(grid)).interpolate("time").reindex(grid)
        else:
            how = {"last": "ffill", "next": "bfill", "nearest": "nearest"}[method]
            x = s.reindex(grid, method=how)
        return pd.DataFrame({"x": x, "filled": ~grid.isin(s.index)}, index=grid)

    wanted = _resampled(rows, of)
    found = mt.resample(_frame(spark, rows), "at", "1 minute", by="k").fill(method)
    assert found.columns == ["k", "at", "x", "filled"]
    if method == "nearest":  # pandas returns the later of two equally near values
        ties = {(k, s) for k, s, _ in _told(wanted, "x") if s % 60 == 0} and {
            (row.k, _seconds(row.at))
            for row in wanted.itertuples()
            if _is_tie(rows[rows["k"] == row.k]["at"], row.at)
        }
        keep = [t for t in _told(wanted, "x") if t[:2] not in ties]
        assert [t for t in _found(found, "x") if t[:2] not in ties] == keep
    else:
        assert _found(found, "x", "filled") == _told(wanted, "x", "filled")


def _is_tie(times: pd.Series, at: pd.Timestamp) -> bool:
    before, after = at - times[times <= at].max(), times[times >= at].min() - at
    return bool(before == after and before > timedelta(0))


@pytest.mark.once
def test_resample_agg_equals_pandas(spark: SparkSession) -> None:
    rows = _readings(4)

    def of(s: pd.Series) -> pd.DataFrame:
        steps = s.resample("2min")
        return pd.DataFrame({"n": steps.count(), "x": steps.mean(), "most": steps.max()})

    wanted = _resampled(rows, of)
    found = mt.resample(_frame(spark, rows), "at", timedelta(minutes=2), by=["k"]).agg(
        F.count("*").alias("n"), F.avg("x").alias("x"), F.max("x").alias("most")
    )
    assert found.columns == ["k", "at", "n", "x", "most"]
    assert _found(found, "n", "x", "most") == _told(wanted, "n", "x", "most")
    assert 0 in wanted["n"].to_numpy()


@pytest.mark.once
def test_resample_equals_polars_upsample(spark: SparkSession) -> None:
    rows = _readings(5)
    rows["at"] = rows["at"].dt.floor("1min")
    rows = rows.drop_duplicates(["k", "at"])
    upsampled = (
        pl.from_pandas(rows)
        .upsample("at", every="1m", group_by="k", maintain_order=True)
        .with_columns(pl.col("k", "x").forward_fill())
    )
    found = mt.resample(_frame(spark, rows), "at", MINUTE, by="k").fill()
    assert _found(found, "x") == _told(upsampled.to_pandas(), "x")


@pytest.mark.smoke
def test_resample_other_times_without_groups(spark: SparkSession) -> None:
    days = spark.sql(
        "SELECT DATE'2026-01-01' + d AS day, x, s "
        "FROM VALUES (0, 1, 'a'), (5, 6, 'b') AS v(d, x, s)"
    )
    filled = mt.resample(days, "day", 1).fill("next", max_gap=2).orderBy("day").collect()
    assert [(r.day.day, r.x, r.s, r.filled) for r in filled] == [
        (1, 1, "a", False),
        (2, None, None, True),
        (3, None, None, True),
        (4, 6, "b", True),
        (5, 6, "b", True),
        (6, 6, "b", False),
    ]
    local = spark.sql(
        "SELECT TIMESTAMP_NTZ'2026-03-29 01:59:59.5' + make_dt_interval(0, 0, 0, s) AS at, x "
        "FROM VALUES (0, 1.0D), (2, 3.0D) AS v(s, x)"
    )
    line = mt.resample(local, "at", 1).fill("linear").orderBy("at").collect()
    assert [(str(r.at), r.x) for r in line] == [
        ("2026-03-29 02:00:00", 1.5),
        ("2026-03-29 02:00:01", 2.5),
    ]
    halves = mt.resample(local, "at", 0.5).agg({"x": "sum"}).orderBy("at").collect()
    assert [r[1] for r in halves] == [1.0, None, None, None, 3.0]
    # A group whose rows are between two grid points has no steps.
    assert mt.resample(spark.range(3, 5), "id", 10).fill().count() == 0
    assert mt.resample(spark.range(3, 5), "id", 10).agg(F.count("*")).collect() == [(0, 2)]


@pytest.mark.smoke
def test_resample_in_sql_equals_python(spark: SparkSession) -> None:
    rows = _frame(spark, _readings(7, 40)).withColumn("the `s`", F.col("k").cast("string"))
    rows.union(rows.limit(3).withColumn("at", F.lit(None))).createOrReplaceTempView("readings")
    grid = mt.resample(spark.table("readings"), "at", "2 minutes", by=["k", "the `s`"])
    groups = "by => 'K, `the ``s```'"
    both = {
        "fill => 'next'": grid.fill("next"),
        "fill => 'nearest', max_gap => '3 minutes'": grid.fill("nearest", "3 minutes"),
        "fill => 'last', max_gap => INTERVAL 1 MINUTE": grid.fill("last", MINUTE),
        "aggregates => 'count(*) AS n, median(x), max(x) FILTER (WHERE x > 2) AS y'": grid.agg(
            F.count("*").alias("n"), F.median("x"), F.expr("max(x) FILTER (WHERE x > 2)").alias("y")
        ),
        "time_weighted_avg => 'x'": grid.time_weighted_avg("x"),
        "time_weighted_avg => 'x', method => 'LINEAR'": grid.time_weighted_avg(
            "x", method="linear"
        ),
    }
    for said, wanted in both.items():
        found = spark.sql(
            f"SELECT * FROM resample(TABLE(readings), 'at', INTERVAL 2 MINUTES, {groups}, {said})"
        )
        assert found.columns == wanted.columns, said
        assert sorted(found.collect(), key=str) == sorted(wanted.collect(), key=str), said
        assert found.count() > 20, said
    # Tables of WITH, and a grid over another grid.
    again = spark.sql(
        """
        WITH r AS (SELECT id AS t, id * 2 AS x FROM range(7))
        SELECT t, x, n FROM resample(
          TABLE(SELECT * FROM resample(TABLE(r), 't', 2, fill => 'last')), 't', 4,
          aggregates => 'sum(x) AS x, count_if(filled) AS n'
        ) WHERE t IN (SELECT t FROM r) ORDER BY t
        """
    )
    assert [tuple(row) for row in again.collect()] == [(0, 4, 0), (4, 20, 0)]
    joined = spark.sql(
        """
        WITH r AS (SELECT id AS t, id * 2 AS x FROM range(7))
        SELECT * FROM resample(TABLE(r), 't', 4, fill => 'last')
        NATURAL JOIN resample(TABLE(r), 't', 4, aggregates => 'count(*) AS n') ORDER BY t
        """
    )
    assert [tuple(row) for row in joined.collect()] == [(0, 0, False, 4), (4, 8, False, 3)]


def test_resample_in_sql_rejects_invalid_arguments(spark: SparkSession) -> None:
    _frame(spark, _readings(6, 5)).createOrReplaceTempView("readings")
    wrong = {
        "readings, 'at', 1, fill => 'last'": "Write TABLE(readings).",
        "TABLE(readings), at, 1, fill => 'last'": "MUNTIN_COLUMN_AS_TABLE_ARGUMENT",
        "TABLE(readings), 'when', 1, fill => 'last'": "MUNTIN_UNKNOWN_COLUMN",
        "TABLE(readings), 'at + 1', 1, fill => 'last'": "MUNTIN_INVALID_ARGUMENT_VALUE",
        "TABLE(readings), 'x', 1, fill => 'last'": "MUNTIN_INVALID_ARGUMENT_TYPE",
        "TABLE(readings), 'at', 0, fill => 'last'": "more than zero",
        "TABLE(readings), 'at', '1 month', fill => 'last'": "ticks",
        "TABLE(readings), 'at', null, fill => 'last'": "the length of a step",
        "TABLE(readings), 'at', 1, by => 'z', fill => 'last'": "`by`",
        "TABLE(readings), 'at', 1": "MUNTIN_RESAMPLE_REQUIRES_ONE_METHOD",
        "TABLE(readings), 'at', 1, fill => 'last', aggregates => 'count(*)'": "fill, aggregates",
        "TABLE(readings), 'at', 1, aggregates => 'count(*)', max_gap => 1": "without fill",
        "TABLE(readings), 'at', 1, fill => 'last', method => 'locf'": "without time_weighted_avg",
        "TABLE(readings), 'at', 1, fill => 'cubic'": "cubic",
        "TABLE(readings), 'at', 1, time_weighted_avg => 'x', method => 'cubic'": "cubic",
        "TABLE(SELECT *, 1 AS Filled FROM readings), 'at', 1, fill => 'last'": "Rename the column",
    }
    for said, says in wrong.items():
        with pytest.raises(AnalysisException) as refused:
            spark.sql(f"SELECT * FROM resample({said})").collect()
        assert says in str(refused.value), said
    with pytest.raises(AnalysisException, match="MUNTIN_MISPLACED_TABLE_FUNCTION"):
        spark.sql("SELECT resample(1, 'at', 1)").collect()


@pytest.mark.smoke
def test_resample_a_null_group(spark: SparkSession) -> None:
    rows = spark.createDataFrame(
        [(None, 1, 2.0), (None, 9, 4.0), ("a", 1, 8.0)], "k string, t int, x double"
    )
    grid = mt.resample(rows, "t", 8, by="k")
    counted = grid.agg(F.count("*").alias("n"), F.sum("x").alias("x"))
    assert set(counted.collect()) == {(None, 0, 1, 2.0), (None, 8, 1, 4.0), ("a", 0, 1, 8.0)}
    averages = {(row.k, row.t): row.x for row in grid.time_weighted_avg("x").collect()}
    assert averages == {(None, 0): 2.0, (None, 8): 2.0, ("a", 0): None}
    assert set(grid.fill().collect()) == {(None, 8, 2.0, True)}


def test_resample_small_integers_up_to_their_limits(spark: SparkSession) -> None:
    rows = spark.sql("SELECT CAST(t AS TINYINT) AS t FROM VALUES (120), (127), (-125) AS v(t)")
    counts = mt.resample(rows, "t", 5).agg(F.count("*").alias("n")).where("n > 0").orderBy("t")
    assert [tuple(row) for row in counts.collect()] == [(-125, 1), (120, 1), (125, 1)]
    with pytest.raises(Exception, match="MUNTIN_TIME_STEP_OUT_OF_RANGE"):
        mt.resample(rows, "t", 50).fill().collect()


@pytest.mark.parametrize("method", ["locf", "linear"])
def test_resample_time_weighted_avg_by_definition(
    spark: SparkSession, method: Literal["locf", "linear"]
) -> None:
    drawn = random.Random(11)
    rows = [
        (k, t, None if drawn.random() < 0.2 else drawn.randint(-40, 40) / 8)
        for k in "ab"
        for t in sorted(drawn.sample(range(3, 90), 25))
    ]
    frame = spark.createDataFrame(rows, "k string, t int, x double")
    found = mt.resample(frame, "t", 8, by="k").time_weighted_avg("x", method=method)
    assert found.columns == ["k", "t", "x"]
    wanted = {}
    for k in "ab":
        times = [t for key, t, _ in rows if key == k]
        known = [(t, x) for key, t, x in rows if key == k and x is not None]

        def height(at: float, known: list[tuple[int, float]] = known) -> float | None:
            before = [(t, x) for t, x in known if t <= at]
            after = [(t, x) for t, x in known if t > at]
            if not before or (method == "linear" and not after):
                return None
            (t, x) = before[-1]
            return x if method == "locf" else x + (at - t) * (after[0][1] - x) / (after[0][0] - t)

        # The middles of units of time; the value is linear between two of them.
        for place in range(min(times) // 8 * 8, max(times) + 1, 8):
            until = min(place + 8, max(times) if method == "locf" else known[-1][0])
            heights = [height(t + 0.5) for t in range(max(place, min(times)), until)]
            there = [h for h in heights if h is not None]
            wanted[k, place] = sum(there) / len(there) if there else None
    got = {(row.k, row.t): row.x for row in found.collect()}
    assert got.keys() == wanted.keys()
    for key, value in wanted.items():
        assert got[key] == pytest.approx(value), key
    with raises(
        ValueError, "MUNTIN_INVALID_ARGUMENT_VALUE", parameter="method", argument="'cubic'"
    ):
        mt.resample(frame, "t", 8).time_weighted_avg(
            "x",
            method="cubic",  # type: ignore[arg-type]
        )
    with raises(ValueError, "MUNTIN_INVALID_ARGUMENT_VALUE", parameter="columns"):
        mt.resample(frame, "t", 8).time_weighted_avg()


def test_resample_rejects_invalid_arguments(spark: SparkSession) -> None:
    rows = _frame(spark, _readings(6, 5))
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: mt.resample("rows", "at", 1), TypeError, "`rows` of `resample` is `'rows'`"),  # type: ignore[arg-type]
        (lambda: mt.resample(rows, F.col("at"), 1), TypeError, "`time` of `resample` is"),  # type: ignore[arg-type]
        (lambda: mt.resample(rows, "at", 1, by=3), TypeError, "`by` of `resample` is `3`"),  # type: ignore[arg-type]
        (lambda: mt.resample(rows, "at", None), TypeError, "`every` of `resample` is `None`"),  # type: ignore[arg-type]
        (lambda: mt.resample(rows, "at", 0).fill().schema, AnalysisException, "more than zero"),
        (lambda: mt.resample(rows, "at", "soon").fill().schema, AnalysisException, "soon"),
        (
            lambda: mt.resample(rows, "x", 1).fill().schema,
            AnalysisException,
            "MUNTIN_INVALID_ARGUMENT_TYPE",
        ),
        (
            lambda: mt.resample(spark.range(3), "id", "1 hour").fill().schema,
            AnalysisException,
            "a whole number",
        ),
        (
            lambda: mt.resample(rows, "at", 1).show(),  # type: ignore[attr-defined]
            AttributeError,
            "does not have show",
        ),
        (lambda: mt.resample(rows, "at", 1).agg(), TypeError, "MUNTIN_MISSING_AGGREGATE"),
        (
            lambda: mt.resample(rows.withColumn("filled", F.lit(1)), "at", 1).fill(),
            ValueError,
            "Rename",
        ),
        (
            lambda: mt.resample(rows, "at", 1, by="k").fill("cubic").schema,  # type: ignore[arg-type]
            AnalysisException,
            "cubic",
        ),
    ]
    for call, kind, says in wrong:
        with pytest.raises(kind, match=says):
            call()


@pytest.mark.smoke
def test_overlaps_joins_rows_with_a_common_time(spark: SparkSession) -> None:
    drawn = random.Random(7)
    rows = [
        (drawn.choice("ab"), s := drawn.randrange(200), s + drawn.randrange(12)) for _ in range(90)
    ]
    left, right = rows[:50], rows[50:]
    ours = spark.createDataFrame(left, "k string, s int, e int").alias("l")
    others = spark.createDataFrame(right, "k string, s int, e int").alias("r")
    on = (F.col("l.k") == F.col("r.k")) & mt.overlaps("l.s", "l.e", "r.s", "r.e")
    found = sorted(tuple(row) for row in ours.join(others, on).collect())
    wanted = sorted((*a, *b) for a in left for b in right if a[0] == b[0] and _meet(a[1:], b[1:]))
    assert found == wanted
    assert ours.join(others, on, "left_anti").count() == sum(
        not any(a[0] == b[0] and _meet(a[1:], b[1:]) for b in right) for a in left
    )


def _meet(a: Any, b: Any) -> bool:
    return bool(max(a[0], b[0]) < min(a[1], b[1]))
