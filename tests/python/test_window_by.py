"""window_by and clock, in classic sessions and over Spark Connect."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import muntin as mt
import pytest
from conditions import raises
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, SparkRuntimeException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

# Before Spark 4.0, py4j raises the error of a task.
TASK_FAILED = (SparkRuntimeException, Py4JJavaError)


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=str)


@pytest.fixture
def source(spark: SparkSession) -> DataFrame:
    data = [(1, "a", 5), (2, "a", 2), (4, "b", 13), (4, "a", 1), (9, "a", 4)]
    return spark.createDataFrame(data, "t int, k string, x int")


@pytest.fixture
def anchors(spark: SparkSession) -> DataFrame:
    data = [("p", 1, 4, "a"), ("q", 2, 3, "a"), ("r", 4, 4, "b"), ("s", 5, 8, "a")]
    return spark.createDataFrame(
        [*data, ("u", 1, 9, None)], "name string, lo int, hi int, k string"
    )


EXPECTED = [
    ("p", 1, 4, "a", 3, 8),
    ("q", 2, 3, "a", 1, 2),
    ("r", 4, 4, "b", 1, 13),
    ("s", 5, 8, "a", 0, None),
    ("u", 1, 9, None, 0, None),
]


@pytest.mark.parametrize("on", ["k", ["k"], [("k", "k")], [(F.col, F.col)]])
def test_every_anchor_with_its_columns(source: DataFrame, anchors: DataFrame, on: Any) -> None:
    # A Column cannot be created without a session.
    keys = [(F.upper("k"), F.upper("k"))] if on == [(F.col, F.col)] else on
    windows = mt.window_by(source, anchors, time="t", start="lo", end="hi", on=keys)
    frame = windows.agg(F.count("*").alias("n"), F.sum("x").alias("total"))
    assert frame.columns == ["name", "lo", "hi", "k", "n", "total"]
    assert rows(frame) == EXPECTED


def test_without_keys_and_with_expressions(source: DataFrame) -> None:
    around = mt.window_by(
        source.where("k = 'a'"),
        source.where("k = 'b'"),
        time=F.col("t") + 1,
        start=F.col("t") - 2,
        end=F.col("t") + 1,
        closed="left",
    )
    frame = around.agg(F.collect_list("x"), (F.max("x") - F.min("x")).alias("reach"))
    assert frame.columns == ["t", "k", "x", "collect_list(x)", "reach"]
    assert rows(frame) == [(4, "b", 13, [5, 2], 3)]


def test_names_with_dots(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, 2), (3, 9)], ["a.b", "c.d"])
    windows = mt.window_by(frame, frame, time="`a.b`", start="`a.b`", end="`c.d`", on="`a.b`")
    assert rows(windows.agg(F.count("`a.b`").alias("n"))) == [(1, 2, 1), (3, 9, 1)]


def test_sql(spark: SparkSession, source: DataFrame, anchors: DataFrame) -> None:
    source.createOrReplaceTempView("wb_source")
    anchors.createOrReplaceTempView("wb_anchors")
    frame = spark.sql(
        "SELECT * FROM window_by(TABLE(wb_source), TABLE(wb_anchors), "
        "aggregates => 'count(*) AS n, sum(x) AS total', time => 't', start => 'lo', "
        "end => 'hi', on => 'k')"
    )
    assert rows(frame) == EXPECTED


def test_obsolete(source: DataFrame, anchors: DataFrame) -> None:
    kept = mt.window_by(source, anchors, time="t", start="lo", end="hi", obsolete=F.lit(1))
    assert len(kept.agg(F.count("*")).collect()) == 5
    # q promises that no later window begins before 2; p ends later and begins at 1.
    promised = partial(
        mt.window_by, source, anchors, time="t", start="lo", end="hi", obsolete="lo", on="k"
    )
    broken = promised(order="hi")
    with pytest.raises(
        TASK_FAILED, match=r"MUNTIN_ANCHOR_STARTS_BEFORE_OBSOLETE.*name = p.*name = q"
    ):
        broken.agg(F.count("*")).collect()
    for unbroken in (promised(order="lo"), promised()):
        assert len(unbroken.agg(F.count("*")).collect()) == 5


def test_anchors_that_are_not_windows(source: DataFrame, anchors: DataFrame) -> None:
    turned = mt.window_by(source, anchors, time="t", start="hi", end="lo")
    with pytest.raises(TASK_FAILED, match="MUNTIN_ANCHOR_STARTS_AFTER_END"):
        turned.agg(F.count("*")).collect()


def test_rejected_arguments(spark: SparkSession, source: DataFrame, anchors: DataFrame) -> None:
    def by(**changed: Any) -> mt.WindowBy:
        given = {"time": "t", "start": "lo", "end": "hi", **changed}
        return mt.window_by(source, anchors, **given)

    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="source"):
        mt.window_by("source", anchors, time="t", start="lo", end="hi")  # type: ignore[arg-type]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="time", argument="3"):
        by(time=3)
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="on", argument="3"):
        by(on=3)
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="on", argument="3"):
        by(on=["k", 3])
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="closed", argument="None"):
        by(closed=None)
    with raises(TypeError, "MUNTIN_MISSING_AGGREGATE", function="window_by"):
        by().agg()
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="agg", argument="'x'"):
        by().agg("x")  # type: ignore[arg-type]
    refused: list[tuple[dict[str, Any], str]] = [
        ({"time": "nope"}, "nope"),
        ({"start": "x"}, "x"),
        ({"on": "t"}, "t"),
        ({"closed": "open"}, "'neither'"),
        ({"end": "k"}, "k|CAST"),
        ({"start": F.array("lo")}, "MUNTIN_INCOMPATIBLE_WINDOW_TIMES"),
    ]
    for changed, message in refused:
        with pytest.raises(Exception, match=message):
            by(**changed).agg(F.count("*")).collect()
    with pytest.raises(AnalysisException, match="MUNTIN_COLUMN_OUTSIDE_AGGREGATE"):
        by().agg(F.col("x")).collect()
    with pytest.raises(AnalysisException, match="MUNTIN_AGGREGATE_OF_ANCHOR"):
        by().agg(F.max("name")).collect()
    with pytest.raises(AnalysisException, match="MUNTIN_ARGUMENT_WITHOUT_EFFECT"):
        by(order="lo").agg(F.count("*")).collect()
    with pytest.raises(AnalysisException, match="MUNTIN_ORDERED_WITHOUT_ORDER"):
        by(ordered=True).agg(F.count("*")).collect()
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="ordered", argument="'lo'"):
        by(ordered="lo")
    with pytest.raises(AnalysisException, match="MUNTIN_MISPLACED_TABLE_FUNCTION"):
        spark.sql("SELECT window_by(1, 2, 3, 4)").collect()


@pytest.mark.smoke
def test_anchors_in_their_own_order(source: DataFrame, anchors: DataFrame) -> None:
    windows = mt.window_by(
        source, anchors, time="t", start="lo", end="hi", order=-F.col("lo"), ordered=True
    )
    found = [row["lo"] for row in windows.agg(F.count("*")).collect()]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) > 1


def test_windows_without_aggregates_are_not_a_data_frame(
    source: DataFrame, anchors: DataFrame
) -> None:
    windows = mt.window_by(source, anchors, time="t", start="lo", end="hi")
    for name in ("show", "collect", "columns", "select"):
        with pytest.raises(AttributeError, match=rf"does not have {name}. Call \.agg\("):
            getattr(windows, name)
    with pytest.raises(AttributeError, match="'WindowBy' object has no attribute 'heal'"):
        windows.heal  # type: ignore[attr-defined]  # noqa: B018


def test_a_str_is_a_column_name(source: DataFrame, anchors: DataFrame) -> None:
    for wrong in ({"time": "t - 1"}, {"start": "lo - 1"}, {"end": "hi * 2"}, {"obsolete": "-lo"}):
        ((parameter, text),) = wrong.items()
        names: dict[str, Any] = {"time": "t", "start": "lo", "end": "hi"} | wrong
        with raises(
            ValueError,
            "MUNTIN_COLUMN_NOT_FOUND",
            parameter=parameter,
            name=text,
            expression=f"F.expr({text!r})",
        ):
            mt.window_by(source, anchors, **names)
    named = anchors.withColumnsRenamed({"lo": "lo - 1", "hi": "hi"})
    windows = mt.window_by(source, named, time="`t`", start="`lo - 1`", end="hi", on="k")
    assert rows(windows.agg(F.count("*"), F.sum("x"))) == EXPECTED
    spaced = anchors.withColumnRenamed("lo", "the first")
    windows = mt.window_by(source, spaced, time="t", start="the first", end="hi", on="k")
    assert rows(windows.agg(F.count("*"), F.sum("x"))) == EXPECTED


def test_clock(spark: SparkSession) -> None:
    def at(*arguments: Any) -> list[Any]:
        return [row[0] for row in mt.clock(spark, *arguments).orderBy("at").collect()]

    assert at(3, 10, 3) == [3, 6, 9]
    assert at(3, 9, 3) == [3, 6, 9]
    assert at(0.0, 0.3, 0.1) == [0.0, 0.1, 0.2]
    assert at(0, 1, 0.5) == [0.0, 0.5, 1.0]
    assert mt.clock(spark, 0, 1, 1).dtypes == [("at", "bigint")]
    start = datetime(2026, 3, 8, 6, 30, tzinfo=UTC)
    ticks = mt.clock(spark, start, start + timedelta(hours=2), timedelta(minutes=45))
    micros = [r[0] for r in ticks.select(F.unix_micros("at").alias("at")).orderBy("at").collect()]
    first = int(start.timestamp()) * 10**6
    assert micros == [first + i * 45 * 60 * 10**6 for i in range(3)]
    for wrong in [(3, 2, 1), (3, 4, 0), (start, start, timedelta(0)), (0, 1, float("nan"))]:
        with pytest.raises(ValueError, match="`clock`"):
            at(*wrong)
    with raises(TypeError, "MUNTIN_INVALID_CLOCK", stop="3", every="1"):
        mt.clock(spark, start, 3, 1)


def on_streams(readings: DataFrame, alarms: DataFrame) -> DataFrame:
    ago = F.expr("INTERVAL 10 SECONDS")
    around = mt.window_by(
        readings.withWatermark("t", "5 seconds"),
        alarms.withWatermark("at", "5 seconds"),
        time="t",
        start=F.col("at") - ago,
        end=F.col("at") + F.expr("INTERVAL 3 SECONDS"),
        on="k",
        obsolete=F.col("at") - ago,
    )
    return around.agg(F.count("*").alias("n"), F.collect_list("x").alias("xs"))


@pytest.mark.streams
def test_streams(spark: SparkSession, tmp_path: Path) -> None:
    """Stream files to a table. The last rows complete all earlier windows."""
    seconds = [(k, i * 7 % 60, i) for i in range(60) for k in "ab"]
    readings = spark.createDataFrame([*seconds, ("end", 1000, 0)], "k string, s int, x int")
    alarms = spark.createDataFrame(
        [("a", 5), ("b", 30), ("a", 17), (None, 20), ("c", 8), ("b", 59), ("end", 1000)],
        "k string, s int",
    )
    for name, frame, time in [("readings", readings, "t"), ("alarms", alarms, "at")]:
        timed = frame.select("*", F.timestamp_seconds(F.col("s") + 1_700_000_000).alias(time))
        timed.drop("s").coalesce(1).write.parquet(str(tmp_path / name))

    def stream(name: str) -> DataFrame:
        path = str(tmp_path / name)
        return spark.readStream.schema(spark.read.parquet(path).schema).parquet(path)

    spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    )
    try:
        query = (
            on_streams(stream("readings"), stream("alarms"))
            .writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"), format="parquet")
        )
        query.awaitTermination()
    finally:
        spark.conf.unset("spark.sql.streaming.stateStore.providerClass")
    batch = on_streams(
        spark.read.parquet(str(tmp_path / "readings")), spark.read.parquet(str(tmp_path / "alarms"))
    )
    expected = rows(batch.where("k IS NULL OR k <> 'end'"))
    assert len(expected) == 6
    assert rows(spark.read.parquet(str(tmp_path / "out"))) == expected


@pytest.mark.streams
def test_arguments_that_a_stream_rejects(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load().selectExpr("timestamp AS t", "value AS x")
    marked = stream.withWatermark("t", "1 minute")
    anchors = marked.selectExpr("t AS at")

    def by(source: DataFrame, anchors: DataFrame) -> DataFrame:
        windows = mt.window_by(source, anchors, time="t", start="at", end="at")
        made = windows.agg(F.count("*").alias("n"))
        _ = made.columns  # over Connect, it is analyzed only now
        return made

    assert by(marked, anchors).isStreaming
    with pytest.raises(AnalysisException, match=r"source.withWatermark\(\"t\""):
        by(stream, anchors)
    with pytest.raises(AnalysisException, match=r"anchors.withWatermark\(\"at\""):
        by(marked, stream.selectExpr("t AS at"))
    table = spark.createDataFrame([(datetime(2026, 1, 1),)], "at timestamp")
    assert by(marked, table).isStreaming
    assert by(table.selectExpr("at AS t"), anchors).isStreaming


@pytest.mark.streams
def test_clock_on_a_stream(spark: SparkSession) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    every = timedelta(milliseconds=300)
    ticks = mt.clock(spark, start, start + every * 4, every, streaming=True, speed=2)
    assert ticks.isStreaming
    assert ticks.dtypes == [("at", "timestamp")]
    with raises(TypeError, "MUNTIN_INVALID_CLOCK", start="1"):
        mt.clock(spark, 1, None, 1, streaming=True)
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="speed", argument="'fast'"):
        mt.clock(spark, start, None, every, streaming=True, speed="fast")  # type: ignore[arg-type]
    for stop, step, speed in [
        (None, every, 0.0),
        (None, timedelta(0), 1.0),
        (start, timedelta(0), 1.0),
        (start - every, every, 1.0),
    ]:
        with pytest.raises(ValueError, match="`clock`"):
            mt.clock(spark, start, stop, step, streaming=True, speed=speed)
