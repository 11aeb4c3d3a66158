"""Streams from Python, classic and over Spark Connect, equal batches."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import muntin as mt
import pytest
from conditions import raises
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from micro_batches import (
    LAST,
    WATERMARK,
    Query,
    Reading,
    exact,
    in_files,
    over_files,
    streamed,
)
from older import MINOR, drains_late, is_before
from pyspark.errors import AnalysisException, PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from selection import IS_GATE

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
STATE = "org.apache.spark.sql.execution.streaming.state."

pytestmark = [pytest.mark.streams, pytest.mark.sampled(3)]


@pytest.fixture(autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    """Reset the settings."""
    yield
    names = ("order", "outOfOrder", "drain", "lateRows")
    for name in (PROVIDER, *(f"spark.muntin.stream.{name}" for name in names)):
        spark.conf.unset(name)


def in_sql(frame: DataFrame) -> DataFrame:
    """Return frames by time and by rows, backward and forward, and Muntin's functions."""
    frame.createOrReplaceTempView("readings_of_a_stream")
    return frame.sparkSession.sql("""
        SELECT k, t, i, x,
               sum(x) OVER minute AS total,
               avg(x) OVER minute AS mean,
               max(x) OVER around AS highest,
               median(x) OVER around AS usual,
               count(DISTINCT x) OVER last_4 AS n,
               collect_list(x) OVER last_4 AS list,
               sliding(sum(x), 3, x > 0) OVER in_order AS last_3,
               since(sum(x), x < 0, 2) OVER in_order AS since_negative,
               framed(count(*), closed => 'left') OVER minute AS before
        FROM readings_of_a_stream
        WINDOW minute AS (PARTITION BY k ORDER BY t
                          RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW),
               around AS (PARTITION BY k ORDER BY t
                          RANGE BETWEEN INTERVAL 10 SECONDS PRECEDING
                                    AND INTERVAL 20 SECONDS FOLLOWING),
               in_order AS (PARTITION BY k ORDER BY t, i),
               last_4 AS (PARTITION BY k ORDER BY t, i ROWS 3 PRECEDING)
    """)


def in_dataframes(frame: DataFrame) -> DataFrame:
    minute = mt.over("k", "t", range=(timedelta(minutes=-1), timedelta(0)))
    in_order = Window.partitionBy("k").orderBy("t", "i")
    by_micros = Window.partitionBy("k").orderBy(F.unix_micros("t"))
    return frame.withColumns(
        {
            "total": F.sum("x").over(minute),
            "around": F.max("x").over(by_micros.rangeBetween(-30_000_000, 30_000_000)),
            "rank": F.rank().over(by_micros),
            "spread": F.stddev("x").over(minute),
            "last_3": mt.sliding(F.avg("x"), 3, F.col("x") > 0).over(in_order),
            "part": mt.since(F.count("*"), F.col("x") < 0, 2).over(in_order),
            "before": F.lag("x").over(in_order),
            "number": F.row_number().over(in_order),
            "mean_of_3": mt.rolling(F.avg("x"), 3, "k", ["t", "i"]),
            "mean_of_a_minute": mt.rolling(F.avg("x"), timedelta(minutes=1), "k", "t"),
        }
    )


def without_the_time(frame: DataFrame) -> DataFrame:
    minute = mt.over("k", "t", range=(timedelta(minutes=-1), timedelta(0)))
    by_micros = Window.partitionBy("k").orderBy(F.unix_micros("t"))
    return frame.select(
        "i",
        F.sum("x").over(minute).alias("total"),
        F.max("x").over(by_micros.rangeBetween(-30_000_000, 30_000_000)).alias("around"),
        F.rank().over(by_micros).alias("rank"),
    )


# Out of order within and across files, ties across them, nulls, and a file without a row.
READINGS: list[list[Reading]] = [
    [("a", 10, 1, 1.5), ("b", 0, 2, -2.0), ("a", 5, 3, 1e16), ("a", 10, 4, 0.1)],
    [("a", 10, 5, -1e16), ("b", 40, 6, None), (None, 35, 7, 7.25), ("a", 31, 8, 0.1)],
    [],
    [("a", 28, 9, -3.0), ("b", 40, 10, 2.0), ("b", 85, 11, 4.0), (None, 80, 12, -0.0)],
    [("a", 130, 13, 0.3), ("b", 120, 14, 1.0), ("b", 200, 15, 1.0)],
    [("a", 300, 16, 5.0), ("b", 290, 17, 2.5), (None, 300, 18, 1.0)],
]


@pytest.mark.smoke
@pytest.mark.parametrize("query", [in_sql, in_dataframes, without_the_time])
def test_streams_equal_batches(spark: SparkSession, tmp_path: Path, query: Query) -> None:
    files = in_files(tmp_path, [*READINGS, [LAST]])
    found = streamed(spark, files, query)
    assert found.rows == over_files(spark, files, query)
    assert len(found.rows) == 18


@pytest.mark.once
def test_a_day_is_24_hours_if_the_clocks_change(spark: SparkSession, tmp_path: Path) -> None:
    """A stream equals a batch (test_functions); an INTERVAL of a day has 23 hours in SQL."""
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        # The hours around 2024-03-10 07:00 UTC.
        change = 69 * 86400 + 7 * 3600
        rows: list[Reading] = [("a", change + 3600 * n, n + 30, 1.0) for n in range(-30, 30)]
        files = in_files(tmp_path, [rows, [LAST]])

        def days(frame: DataFrame) -> DataFrame:
            day = mt.over("k", "t", range=(timedelta(days=-1), timedelta(0)))
            around = mt.over("k", "t", range=(timedelta(days=-2), timedelta(hours=26)))
            return frame.select("i", F.count("x").over(day), F.count("x").over(around))

        found = streamed(spark, files, days)
        assert found.rows == over_files(spark, files, days)
        assert max(row[1] for row in found.rows) == 25
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


# The distance between the times of two files, and the offsets of each file's rows. No row is a
# minute (the delay of the watermark) or more before the newest row of earlier files.
FILES = st.lists(
    st.tuples(
        st.sampled_from([0, 7, 45, 200]),
        st.lists(
            st.tuples(
                st.sampled_from(["a", "b", None]),
                st.integers(-29, 30),
                st.none() | st.sampled_from([0.1, -0.1, 1e16, -1e16, 1.0, -0.0, float("nan")]),
            ),
            max_size=8,
        ),
    ),
    min_size=1,
    max_size=4,
)


def numbered(
    made: list[tuple[int, list[tuple[str | None, int, float | None]]]],
) -> list[list[Reading]]:
    now, number = 0, 0
    batches: list[list[Reading]] = []
    for step, rows in made:
        now += step
        counted = enumerate(rows, number)
        batches.append([(k, now + offset, i, x) for i, (k, offset, x) in counted])
        number += len(rows)
    return batches


@pytest.mark.once
@settings(
    max_examples=4 if IS_GATE else 10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(made=FILES)
def test_random_rows_in_random_files(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[int, list[tuple[str | None, int, float | None]]]],
) -> None:
    batches = numbered(made)
    files = in_files(tmp_path_factory.mktemp("files"), [*batches, [LAST]])
    found = streamed(spark, files, in_sql)
    assert found.rows == over_files(spark, files, in_sql)
    assert len(found.rows) == sum(map(len, batches))


def pieces(every: int) -> Query:
    """Return the pieces of each key, cut at the start of every n-th row of all keys."""

    def query(frame: DataFrame) -> DataFrame:
        until = F.expr("t + make_interval(0, 0, 0, 0, 0, 0, pmod(7 * i, 60))")
        grouped = frame.groupBy("k", mt.validity("t", until, dump_at=every))
        total = F.sum("x").alias("total")
        made = grouped.agg(F.count("*").alias("n"), total, F.max("i").alias("i"))
        return made.select("k", "validity.*", "n", "total", "i")

    return query


@pytest.mark.once
@pytest.mark.parametrize("every", [1, 7])
def test_pieces_cut_by_the_rows_of_all_keys(
    spark: SparkSession, tmp_path: Path, every: int
) -> None:
    files = in_files(tmp_path, [*READINGS, [LAST]])
    found = streamed(spark, files, pieces(every))
    assert found.rows == over_files(spark, files, pieces(every))
    # The operator of the keys, and the operator that counts all rows.
    assert all(len(p["stateOperators"]) == 2 for p in found.progress)


@pytest.mark.once
@settings(
    max_examples=3 if IS_GATE else 6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(made=FILES, every=st.sampled_from([1, 2, 7]))
def test_pieces_of_random_rows_in_random_files(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[int, list[tuple[str | None, int, float | None]]]],
    every: int,
) -> None:
    files = in_files(tmp_path_factory.mktemp("files"), [*numbered(made), [LAST]])
    found = streamed(spark, files, pieces(every))
    assert found.rows == over_files(spark, files, pieces(every))


def total(frame: DataFrame) -> DataFrame:
    minute = mt.over("k", "t", range=(timedelta(minutes=-1), timedelta(0)))
    return frame.select("k", "t", "i", F.sum("x").over(minute).alias("total"))


@pytest.mark.smoke
def test_late_rows_are_dropped_and_counted(spark: SparkSession, tmp_path: Path) -> None:
    late: Reading = ("a", 70, 3, 1.0)
    in_time: Reading = ("a", 170, 4, 1.0)
    # The watermark of the previous micro-batch determines which rows are late.
    first: list[list[Reading]] = [[("a", 0, 1, 1.0)], [("a", 200, 2, 1.0)], [("a", 201, 5, 1.0)]]
    found = streamed(spark, in_files(tmp_path / "all", [*first, [late, in_time], [LAST]]), total)
    assert sum(found.operator("numRowsDroppedByWatermark")) == 1
    without = in_files(tmp_path / "without", [*first, [in_time], [LAST]])
    assert found.rows == over_files(spark, without, total)


@pytest.mark.once
def test_state_goes_with_the_frames(spark: SparkSession, tmp_path: Path) -> None:
    batches: list[list[Reading]] = [
        [(f"k{n}", 100 * batch, 10 * batch + n, 1.0) for n in range(10)] for batch in range(8)
    ]
    found = streamed(spark, in_files(tmp_path, [*batches, [LAST]]), total)
    assert len(found.rows) == 80
    # Two rows wait for the watermark, which lags one micro-batch, and one row is in a window.
    assert max(found.operator("numRowsBuffered")) == 30
    assert max(found.operator("numGroups")) <= 11
    # The state of the last row, which no row passes.
    assert found.operator("numRowsBuffered")[-1] == 1
    assert found.operator("numGroups")[-1] == 1
    assert all(b > 0 for b in found.operator("memoryUsedBytes"))


@pytest.mark.smoke
def test_results_in_the_order_of_arrival(spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.muntin.stream.order", "arrival")
    batches: list[list[Reading]] = [
        [("a", 0, 1, 1.0), ("b", 40, 2, 2.0)],
        [("a", 50, 3, 4.0)],
        [("a", 70, 4, 8.0)],
    ]
    files = in_files(tmp_path, batches)
    # No later row releases the last row.
    found = streamed(spark, files, total, watermark=None)
    assert found.rows == over_files(spark, files, total)


# Bounds by their numbers; one bound has the key of a group with rows.
BOUNDED: list[list[Reading]] = [
    [("a", 10, 1, 1.0)],
    [("b", 40, 2, 2.0)],
    [(None, 95, -2, None)],
    [("a", 100, 3, 4.0), ("b", 105, 4, 8.0)],
    [("b", 200, -3, None)],
    [("a", 300, 5, 16.0)],
    [LAST],
]


def named_in_sql(frame: DataFrame) -> DataFrame:
    frame.createOrReplaceTempView("inputs_with_bounds")
    frame.sparkSession.sql("""
        CREATE OR REPLACE TEMP VIEW without_bounds AS
        SELECT * FROM inputs_with_bounds WHERE NOT bound(i < 0)
    """)
    return frame.sparkSession.table("without_bounds")


def named_in_dataframes(frame: DataFrame) -> DataFrame:
    return frame.where(~mt.bound(F.col("i") < 0))


@pytest.mark.once
@pytest.mark.parametrize("order", ["watermark", "arrival"])
@pytest.mark.parametrize("named", [named_in_sql, named_in_dataframes])
def test_bounds_are_not_rows(spark: SparkSession, tmp_path: Path, named: Query, order: str) -> None:
    spark.conf.set("spark.muntin.stream.order", order)
    files = in_files(tmp_path, BOUNDED)

    def query(frame: DataFrame) -> DataFrame:
        in_order = Window.partitionBy(F.lit(1)).orderBy("t", "i")
        around = mt.over("k", "t", range=(timedelta(0), timedelta(seconds=30)))
        return named(frame).select(
            "i",
            F.sum("x").over(in_order.rowsBetween(-1, 0)),
            F.lag("i").over(in_order),
            mt.sliding(F.max("i"), 2).over(in_order),
            F.count("*").over(around),
        )

    found = streamed(spark, files, query, watermark=None if order == "arrival" else "0 seconds")
    assert found.rows == over_files(spark, files, query)
    assert [row[:3] for row in sorted(found.rows)][1:3] == [
        (2, struct.pack(">d", 3.0).hex(), 1),
        (3, struct.pack(">d", 6.0).hex(), 2),
    ]
    assert len(found.rows) == 5


def windows_of_windows(frame: DataFrame) -> DataFrame:
    """Return the total of each half minute, and the mean of the last three totals."""
    halves = frame.groupBy("k", mt.field_window("t", 30, 30).alias("w")).agg(
        F.sum("x").alias("total"), F.max("i").alias("i")
    )
    last_3 = mt.over("k", "t", rows=(-2, 0))
    return halves.select("k", F.col("w.close").alias("t"), "i", "total").withColumn(
        "mean", F.avg("total").over(last_3)
    )


def places(frame: DataFrame) -> DataFrame:
    """Return the interpolated values every ten seconds."""
    return mt.resample(frame, "t", 10, by="k").fill("linear").withColumn("i", F.lit(0))


def steps(frame: DataFrame) -> DataFrame:
    """Return the aggregates of every ten seconds, also without readings."""
    grid = mt.resample(frame, "t", 10, by="k")
    return grid.agg(F.count("*").alias("i"), F.expr("median(x)").alias("x"))


def averages(frame: DataFrame) -> DataFrame:
    """Return the average over the time of every ten seconds."""
    averages = mt.resample(frame, "t", 10, by="k").time_weighted_avg("x")
    return averages.withColumn("i", F.lit(0))


def one_at_a_time(batches: list[list[Reading]]) -> list[list[Reading]]:
    """Remove further rows of a key and a time, because either value would be correct."""
    had: set[tuple[str | None, int | None]] = set()
    kept: list[list[Reading]] = []
    for rows in batches:
        kept.append([])
        for row in rows:
            if row[:2] not in had:
                had.add(row[:2])
                kept[-1].append(row)
    return kept


@pytest.mark.parametrize("query", [places, steps, pytest.param(averages, marks=pytest.mark.smoke)])
def test_a_grid_ends_at_the_last_row(spark: SparkSession, tmp_path: Path, query: Query) -> None:
    files = in_files(tmp_path, one_at_a_time(READINGS)[:-1])
    wanted = over_files(spark, files, query)
    early = streamed(spark, files, query)
    assert len(early.rows) > 3
    assert set(early.rows) < set(wanted)
    spark.conf.set("spark.muntin.stream.drain", "true")
    assert streamed(spark, files, query).rows == wanted


@pytest.mark.smoke
@pytest.mark.parametrize("query", [in_sql, in_dataframes, windows_of_windows])
def test_a_drained_stream_emits_all_rows(spark: SparkSession, tmp_path: Path, query: Query) -> None:
    spark.conf.set("spark.muntin.stream.drain", "true")
    files = in_files(tmp_path, READINGS[:-1])
    found = streamed(spark, files, query)
    assert found.rows == over_files(spark, files, query)
    assert found.operator("numGroups")[-1] == 0


@drains_late
def with_next(frame: DataFrame) -> DataFrame:
    in_order = Window.orderBy("t", "i")
    following = F.lead("i").over(in_order).alias("following")
    return frame.select("t", "i", following, F.lead("t").over(in_order).alias("until"))


def window_by_over_lead(frame: DataFrame) -> DataFrame:
    """Return a window_by in which each row of the source waits for the next row."""
    anchors = frame.select(F.col("t").alias("at"), "i")
    start = F.col("at") - F.expr("INTERVAL 3 SECONDS")
    source = with_next(frame).select("t", "following")
    around = mt.window_by(source, anchors, time="t", start=start, end="at", obsolete=start)
    return around.agg(F.collect_list("following").alias("list"))


def window_by_until_the_next(frame: DataFrame) -> DataFrame:
    """Return a window_by in which the anchors wait: a window is the time of a state."""
    anchors = with_next(frame).select(F.col("t").alias("since"), "until", "i")
    source = frame.select("t", F.col("i").alias("y"))
    while_true = mt.window_by(
        source,
        anchors.where("until IS NOT NULL"),
        time="t",
        start="since",
        end="until",
        closed="left",
        obsolete="since",
    )
    return while_true.agg(F.collect_list("y").alias("list"))


def asof_over_lead(frame: DataFrame) -> DataFrame:
    found = with_next(frame).select(F.col("t").alias("at"), "following")
    asked = frame.select("t", "i")
    return mt.asof_join(asked, found, ("t", "at"), tolerance="3 seconds", strict=True)


@pytest.mark.parametrize("query", [window_by_over_lead, window_by_until_the_next, asof_over_lead])
def test_windows_that_wait_for_rows_below_other_windows(
    spark: SparkSession, tmp_path: Path, query: Query
) -> None:
    rows: list[Reading] = [("a", t, t, None) for t in (1, 2, 5, 19, 30, 40)]
    files = in_files(tmp_path, [[row] for row in rows])
    spark.conf.set("spark.muntin.stream.drain", "true")
    drained = streamed(spark, files, query, watermark="0 seconds")
    assert drained.rows == over_files(spark, files, query)
    assert len(drained.rows) >= 5
    spark.conf.unset("spark.muntin.stream.drain")
    so_far = streamed(spark, files, query, watermark="0 seconds")
    assert 0 < len(so_far.rows) < len(drained.rows)
    assert set(map(repr, so_far.rows)) <= set(map(repr, drained.rows))


def test_only_a_bounded_stream_is_drained(spark: SparkSession, tmp_path: Path) -> None:
    files = in_files(tmp_path, READINGS)
    stream = files.stream(spark).withWatermark("t", WATERMARK)

    def start(drain: bool | None) -> None:
        window = mt.field_window("t", 30, 30, drain=drain)
        query = stream.groupBy("k", window).agg(F.sum("x")).writeStream.format("noop")
        query.trigger(processingTime="1 second").start().stop()

    assert "drain => true" in failure(lambda: start(True), AnalysisException)
    start(None)
    spark.conf.set("spark.muntin.stream.drain", "true")
    assert "trigger(availableNow=True)" in failure(lambda: start(None), AnalysisException)


def test_late_rows_in_a_folder(spark: SparkSession, tmp_path: Path) -> None:
    late: Reading = ("a", 70, 3, 1.0)
    rows: list[list[Reading]] = [[("a", 0, 1, 1.0)], [("a", 200, 2, 1.0)], [("a", 201, 5, 1.0)]]
    spark.conf.set("spark.muntin.stream.lateRows", str(tmp_path / "late"))
    streamed(spark, in_files(tmp_path / "all", [*rows, [late], [LAST]]), total)
    left_out = spark.read.json(str(tmp_path / "late"))
    assert [(row.k, row.i, row.x, row.batch) for row in left_out.collect()] == [("a", 3, 1.0, 3)]


def test_open_results(spark: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / "checkpoint"
    files = in_files(tmp_path / "all", READINGS[:-1])
    query = windows_of_windows(files.stream(spark).withWatermark("t", WATERMARK))
    out = streamed(spark, files, windows_of_windows, checkpoint=place).rows
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    waits = mt.pending(query, place)
    assert not waits.isStreaming
    assert waits.columns == query.columns
    found = exact(waits)
    assert found
    assert sorted(out + found, key=repr) == over_files(spark, files, windows_of_windows)
    query.createOrReplaceTempView("means")
    sql = f"SELECT *, 1 AS one FROM pending(TABLE(means), '{place}')"
    assert [row[:-1] for row in exact(spark.sql(sql))] == found
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before
    said = failure(lambda: mt.pending(query, tmp_path / "none"), AnalysisException)
    assert "[MUNTIN_CHECKPOINT_NOT_FOUND]" in said
    other = mt.pending(total(files.stream(spark).withWatermark("t", WATERMARK)), str(place))
    assert "[MUNTIN_PENDING_OF_OTHER_QUERY]" in failure(other.collect)
    state = spark.read.format("statestore").option("path", str(place))
    if MINOR != "4.0":  # the reader of 4.0 reports that it cannot read the state
        said = failure(lambda: state.load().collect())
        assert "[MUNTIN_STATE_SOURCE_OF_WINDOWS]" in said
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="query", argument="'means'"):
        mt.pending("means", place)  # type: ignore[arg-type]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="checkpoint", argument="1"):
        mt.pending(query, 1)  # type: ignore[arg-type]


def test_another_number_of_partitions(spark: SparkSession, tmp_path: Path) -> None:
    place, copy = tmp_path / "checkpoint", tmp_path / "copy"
    files = in_files(tmp_path / "all", READINGS[:2])

    def query() -> DataFrame:
        return windows_of_windows(files.stream(spark).withWatermark("t", WATERMARK))

    def run(checkpoint: Path) -> None:
        writer = query().writeStream.option("checkpointLocation", str(checkpoint))
        writer = writer.format("parquet").option("path", str(tmp_path / "out"))
        writer.trigger(availableNow=True).start().awaitTermination()

    run(place)
    moved = mt.repartition(spark, place, 5, copy)
    assert {row.partitions for row in moved.collect()} == {5}
    groups = mt.state(spark, place).groupBy("operator").agg(F.sum("rows"), F.sum("bytes"))
    assert sorted(map(tuple, groups.collect())) == [
        (row.operator, row.rows, row.bytes) for row in moved.collect() if row.groups > 0
    ]
    before = mt.state(spark, place, batch_id=0).agg(F.count("*")).first()
    assert before is not None
    assert 0 < before[0] <= mt.state(spark, place).count()
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="batch_id", argument="'1'"):
        mt.state(spark, place, "1")  # type: ignore[arg-type]
    for readings in READINGS[2:]:
        files.add(readings)
    run(copy)
    written = spark.read.parquet(str(tmp_path / "out"))
    found = exact(written) + exact(mt.pending(query(), copy))
    assert sorted(found, key=repr) == over_files(spark, files, windows_of_windows)
    said = failure(lambda: mt.repartition(spark, place, 3, copy), AnalysisException)
    assert "[MUNTIN_CHECKPOINT_TARGET_NOT_EMPTY]" in said
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="partitions", argument="'3'"):
        mt.repartition(spark, place, "3", copy)  # type: ignore[arg-type]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="to", argument="1"):
        mt.repartition(spark, place, 3, 1)  # type: ignore[arg-type]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="spark", argument="1"):
        mt.repartition(1, place, 3, copy)  # type: ignore[arg-type]


def failure(run: Callable[[], object], kind: type[PySparkException] = PySparkException) -> str:
    with pytest.raises(kind) as error:
        run()
    return str(error.value)


def test_decreasing_times(spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.muntin.stream.order", "arrival")
    batches: list[list[Reading]] = [[("a", 60, 1, 1.0)], [("a", 30, 2, 2.0), ("a", 90, 3, 4.0)]]
    files = in_files(tmp_path, batches)
    said = failure(lambda: streamed(spark, files, total), StreamingQueryException)
    assert "[MUNTIN_ROW_OUT_OF_ORDER]" in said
    assert "time 2024-01-01 00:00:30" in said
    assert "time 2024-01-01 00:01:00" in said
    spark.conf.set("spark.muntin.stream.outOfOrder", "drop")
    found = streamed(spark, files, total, watermark=None)
    assert [row[2] for row in found.rows] == [1, 3]
    assert sum(found.operator("numRowsOutOfOrder")) == 1


def test_a_row_without_a_time(spark: SparkSession, tmp_path: Path) -> None:
    files = in_files(tmp_path, [[("a", 0, 1, 1.0)], [("a", None, 2, 2.0)]])
    said = failure(lambda: streamed(spark, files, total), StreamingQueryException)
    assert "[MUNTIN_NULL_TIME_ON_STREAM]" in said
    assert "x = 2.0" in said
    assert 'df.where("t IS NOT NULL")' in said
    left_out = streamed(spark, files, lambda df: total(df.where("t IS NOT NULL")))
    assert left_out.rows == []  # no row has passed the first row


def test_without_a_watermark(spark: SparkSession, tmp_path: Path) -> None:
    files = in_files(tmp_path, READINGS)
    said = failure(lambda: total(files.stream(spark)).schema, AnalysisException)
    assert "[MUNTIN_MISSING_WATERMARK]" in said
    assert 'df.withWatermark("t", "10 minutes")' in said


@pytest.mark.parametrize(
    ("over", "condition"),
    [
        ("sum(x) OVER (PARTITION BY k ORDER BY i)", "MUNTIN_NUMERIC_TIME_ON_STREAM"),
        ("sum(x) OVER (PARTITION BY k)", "MUNTIN_MISSING_ORDER_BY_ON_STREAM"),
        ("sum(x) OVER (ORDER BY t DESC)", "MUNTIN_DESCENDING_TIME_ON_STREAM"),
        (
            "sum(x) OVER (ORDER BY t ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
            "MUNTIN_UNBOUNDED_FRAME_ON_STREAM",
        ),
        ("median(x) OVER (ORDER BY t)", "MUNTIN_UNBOUNDED_STATE_ON_STREAM"),
    ],
)
def test_windows_that_a_stream_does_not_support(
    spark: SparkSession, tmp_path: Path, over: str, condition: str
) -> None:
    stream = in_files(tmp_path, READINGS).stream(spark).withWatermark("t", WATERMARK)
    said = failure(lambda: stream.selectExpr(over).schema, AnalysisException)
    assert f"[{condition}]" in said


def test_a_checkpoint_of_another_query(spark: SparkSession, tmp_path: Path) -> None:
    files = in_files(tmp_path / "files", READINGS)

    def lowest(frame: DataFrame) -> DataFrame:
        minute = mt.over("k", "t", range=(timedelta(minutes=-2), timedelta(0)))
        return frame.select("k", "t", "i", F.sum("x").over(minute).alias("total"))

    checkpoint = tmp_path / "checkpoint"

    def to_files(query: Query) -> None:
        stream = query(files.stream(spark).withWatermark("t", WATERMARK))
        writer = stream.writeStream.format("parquet").option("path", str(tmp_path / "out"))
        writer = writer.option("checkpointLocation", str(checkpoint))
        running = writer.trigger(availableNow=True).start()
        running.awaitTermination(600)

    to_files(total)
    said = failure(lambda: to_files(lowest), AnalysisException)
    assert "[MUNTIN_CHECKPOINT_OF_OTHER_QUERY]" in said
    to_files(total)  # the checkpoint is unchanged


def one_by_one(*names: str) -> Query:
    """Return columns of one window, each added to the previous columns."""
    minute = mt.over("k", "t", range=(timedelta(minutes=-1), timedelta(0)))
    columns = {
        "total": F.sum("x").over(minute),
        "highest": mt.rolling(F.max("x"), timedelta(seconds=30), "k", "t"),
        "twice": F.sum(F.col("x") * 2).over(minute),
        "lowest": F.min("x").over(minute),
    }

    def query(frame: DataFrame) -> DataFrame:
        for name in names:
            frame = frame.withColumn(name, columns[name])
        return frame

    return query


def test_columns_one_by_one_are_one_operator(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query = one_by_one("total", "highest", "twice")
    files = in_files(tmp_path, [*READINGS, [LAST]])
    query(files.batch(spark)).explain()
    plan = capsys.readouterr().out
    assert plan.count("MuntinWindow ") == 1, plan
    assert plan.count("MuntinSort ") == 1, plan
    found = streamed(spark, files, query)
    assert {len(p["stateOperators"]) for p in found.progress} == {1}
    assert found.rows == over_files(spark, files, query)


def test_an_additional_column_does_not_match_the_checkpoint(
    spark: SparkSession, tmp_path: Path
) -> None:
    three, four = ("total", "highest", "twice"), ("total", "highest", "twice", "lowest")
    files = in_files(tmp_path / "files", READINGS)
    checkpoint = tmp_path / "checkpoint"
    out = tmp_path / "out"

    def go_on(*names: str) -> None:
        stream = one_by_one(*names)(files.stream(spark).withWatermark("t", WATERMARK))
        writer = stream.writeStream.format("parquet").option("path", str(out))
        writer = writer.option("checkpointLocation", str(checkpoint))
        writer.trigger(availableNow=True).start().awaitTermination(600)

    go_on(*three)
    files.add([("a", 1000, 100, 1.0)])
    said = failure(lambda: go_on(*four), AnalysisException)
    assert "[MUNTIN_CHECKPOINT_OF_OTHER_QUERY]" in said
    assert "`function 4` is `none` in the checkpoint" in said
    assert "min(x) OVER (PARTITION BY k ORDER BY t" in said
    files.add([LAST])
    go_on(*three)
    assert exact(spark.read.parquet(str(out))) == over_files(spark, files, one_by_one(*three))


def test_the_state_store(spark: SparkSession, tmp_path: Path) -> None:
    files = in_files(tmp_path, [*READINGS, [LAST]])
    spark.conf.set(PROVIDER, STATE + "HDFSBackedStateStoreProvider")
    said = failure(lambda: streamed(spark, files, total), StreamingQueryException)
    assert "[MUNTIN_UNSUPPORTED_STATE_STORE]" in said
    assert f'spark.conf.set("{PROVIDER}", "{STATE}RocksDBStateStoreProvider")' in said
    # If the session does not set a provider, Muntin sets it for this query only.
    spark.conf.unset(PROVIDER)
    assert streamed(spark, files, total).rows == over_files(spark, files, total)
    assert spark.conf.get(PROVIDER) == STATE + "HDFSBackedStateStoreProvider"


@pytest.mark.parametrize(
    ("trigger", "sink"),
    [
        ({"continuous": "1 second"}, "parquet"),
        ({"continuous": "1 second"}, "console"),
        pytest.param(
            {"realTime": "5 seconds"},
            "console",
            marks=pytest.mark.skipif(
                is_before("4.2") or not is_before("4.3"), reason="it has no such error"
            ),
        ),
    ],
)
def test_triggers_without_micro_batches_are_rejected(
    spark: SparkSession, tmp_path: Path, trigger: dict[str, str], sink: str
) -> None:
    stream = in_files(tmp_path / "files", READINGS).stream(spark)
    writer = total(stream.withWatermark("t", WATERMARK)).writeStream.format(sink)
    writer = writer.outputMode("update" if sink == "console" else "append")
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer = writer.option("path", str(tmp_path / "out")).trigger(**trigger)
    said = failure(writer.start, AnalysisException)
    real_time = "realTime" in trigger
    assert ("[MUNTIN_WINDOWS_IN_REAL_TIME_MODE]" in said) == real_time
    assert ("[MUNTIN_UNSUPPORTED_TRIGGER]" in said) != real_time


@pytest.mark.once
@pytest.mark.skipif(is_before("4.3"), reason="it has no state in real-time mode")
def test_real_time_mode_names_its_settings(spark: SparkSession, tmp_path: Path) -> None:
    def message() -> str:
        stream = in_files(tmp_path / "files", READINGS).stream(spark)
        query = total(stream.withWatermark("t", WATERMARK))
        writer = query.writeStream.format("console").outputMode("update")
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        trigger = {"realTime": "5 seconds"}
        return failure(writer.trigger(**trigger).start, AnalysisException)

    assert "[MUNTIN_REAL_TIME_MODE_REQUIRES_GROUP_ORDER]" in message()
    spark.conf.set("spark.muntin.stream.order", "group")
    assert "[MUNTIN_REAL_TIME_MODE_REQUIRES_SETTING]" in message()


def of_validity(frame: DataFrame) -> DataFrame:
    until = F.col("t") + F.expr("INTERVAL 40 SECONDS")
    found = frame.groupBy("k", mt.validity("t", until)).agg(
        F.max("i").alias("i"), F.sum("x").alias("x"), mt.revision()
    )
    return found.select("revision.*", "k", "validity.start", "validity.end", "i", "x")


def of_rows(frame: DataFrame) -> DataFrame:
    ahead = Window.partitionBy("k").orderBy("t", "i").rowsBetween(-3, 1)
    found = frame.withColumn("mean", F.avg("x").over(ahead))
    return found.withColumn("revision", mt.revision()).select("revision.*", "k", "t", "i", "mean")


@pytest.mark.once
@pytest.mark.parametrize("query", [of_validity, of_rows])
def test_merged_revisions_equal_the_output_of_append(
    spark: SparkSession, tmp_path: Path, query: Query
) -> None:
    files = in_files(tmp_path, READINGS)
    merged: dict[str, tuple[object, ...]] = {}
    found = streamed(spark, files, query, mode="update")
    for key, _, kind, *row in sorted(found.rows, key=lambda r: r[1]):
        if kind == "withdrawn":
            assert merged.pop(key)[1:] == tuple(row)
        else:
            merged[key] = (kind, *row)
    kinds = {row[2] for row in found.rows}
    assert {"new", "changed", "final"} <= kinds
    ended = sorted((r[1:] for r in merged.values() if r[0] == "final"), key=repr)
    appended = streamed(spark, files, query)
    assert {row[2] for row in appended.rows} == {"final"}
    assert ended == sorted((row[3:] for row in appended.rows), key=repr)
    # With the answers so far, the table equals a batch over the same rows.
    if query is of_validity:
        batch = over_files(spark, files, query)
        assert sorted((r[1:] for r in merged.values()), key=repr) == sorted(
            (row[3:] for row in batch), key=repr
        )


def test_withdrawn_results_without_revision_are_rejected(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = in_files(tmp_path / "files", READINGS).stream(spark).withWatermark("t", WATERMARK)
    found = stream.groupBy("k", mt.validity("t", F.col("t"))).agg(F.count("*"))
    writer = found.writeStream.format("memory").queryName("withdrawn").outputMode("update")
    assert "mt.revision()" in failure(writer.start, AnalysisException)
