"""Replays the year as a stream: the months arrive one by one, and the screen shows the results."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from newyork import data
from newyork.board import Board
from newyork.comparison import compare
from newyork.group_questions import in_the_air
from newyork.questions import temperature

AIRPORT = "JFK"
MONTHS = pd.date_range("2013-01-01", "2014-01-01", freq="MS", tz="America/New_York")
THE_END = pd.Timestamp("2014-02-01", tz="America/New_York")

# The seconds on the screen per day of the year, if the day's rows have arrived.
PACE = 0.04
STEP = timedelta(hours=6)


@dataclass(frozen=True)
class Replayed:
    """A question that runs on a stream with the same query as on a table.

    Parameters
    ----------
    name
        The directory of its files.
    table, view
        The table with the replayed rows, and the view that the question reads.
    time, watermark
        The column of its time, and the delay of the watermark.
    query
        The question.
    key
        The columns that identify its results.
    at, values
        The columns of its results that the screen shows: the time, and the values.
    only
        The condition for the results that the screen shows.
    caption
        The format of the results on the screen.
    """

    name: str
    table: str
    view: str
    time: str
    watermark: str
    query: Callable[[SparkSession], DataFrame]
    key: tuple[str, ...]
    at: str
    values: tuple[str, ...]
    only: str
    caption: str


BAND = Replayed(
    "replayed_temperature",
    "weather",
    "weather",
    "hour",
    "1 hour",
    temperature,
    ("origin", "hour"),
    "hour",
    ("temp", "low", "high", "mean"),
    f"origin = '{AIRPORT}'",
    AIRPORT + " {:5.1f} °F, 24 hours {:5.1f} … {:5.1f}, mean {:5.1f}",
)

IN_THE_AIR = Replayed(
    "replayed_planes",
    "flights",
    "departures",
    "departed",
    "1 hour",
    in_the_air,
    ("start",),
    "start",
    ("planes",),
    "true",
    "{:3d} planes in the air",
)


class Replay:
    """A question's stream: the months are written to a folder, and read by the query."""

    def __init__(self, spark: SparkSession, question: Replayed, build: Path) -> None:
        self.question = question
        self.board = Board()
        self._spark = spark
        self._folder = build / question.name
        self._source = self._folder / "source"
        self._results = str(self._folder / "results")
        self._schema = spark.table(question.view).schema
        rows = pd.read_parquet(build / f"{question.table}.parquet")
        self._rows = rows.dropna(subset=[question.time])
        shutil.rmtree(self._folder, ignore_errors=True)
        self._source.mkdir(parents=True)

    def start(self) -> StreamingQuery:
        """Start the query, over an empty stream."""
        reader = self._spark.readStream.schema(self._schema).option("maxFilesPerTrigger", 1)
        stream = reader.parquet(str(self._source))
        timed = stream.withWatermark(self.question.time, self.question.watermark)
        timed.createOrReplaceTempView(self.question.view)
        writer = self.question.query(self._spark).writeStream.foreachBatch(self._take)
        return writer.option("checkpointLocation", str(self._folder / "checkpoint")).start()

    def put(self, number: int) -> None:
        """Write a month's rows; after the last month, write the remaining rows of the year."""
        times = self._rows[self.question.time]
        ends = [*MONTHS, THE_END]
        self._write(number, self._rows[(times >= ends[number]) & (times < ends[number + 1])])

    def has_reached(self, until: pd.Timestamp) -> bool:
        """Return whether the results of the rows until this time exist, except the last few."""
        times = self._rows[self.question.time]
        newest = times[times < until].max().tz_convert(MONTHS.tz).tz_localize(None)
        reached = self.board.reached
        return reached is not None and reached >= newest.to_pydatetime() - timedelta(hours=12)

    def put_the_end(self) -> None:
        """Write a row that is later than all others, which releases the buffered rows."""
        last = self._rows.iloc[:1].copy()
        for name, kind in last.dtypes.items():
            if isinstance(kind, pd.DatetimeTZDtype):
                last[name] = pd.Series([THE_END], index=last.index).astype(kind)
        self._write(len(MONTHS), last)

    def _write(self, number: int, rows: pd.DataFrame) -> None:
        hidden = self._source / f"_{number:02}"
        rows.to_parquet(hidden, coerce_timestamps="us", index=False)
        hidden.rename(self._source / f"{number:02}.parquet")

    def _take(self, rows: DataFrame, number: int) -> None:
        # A micro-batch that runs again after a failure replaces its earlier output.
        results = f"{self._results}/batch={number}"
        rows.where(self._of_the_year).write.mode("overwrite").parquet(results)
        self._tell(self._spark.read.parquet(results))

    def _tell(self, results: DataFrame) -> None:
        at = self.question.at
        shown = results.where(self.question.only).orderBy(at).select(at, *self.question.values)
        for when, *values in shown.collect():
            self.board.tell(when, tuple(values))

    @property
    def _of_the_year(self) -> Column:
        return F.col(self.question.at) < F.lit(THE_END.to_pydatetime())

    def results(self) -> DataFrame:
        """Return the results of the stream so far."""
        return self._spark.read.parquet(self._results).drop("batch")

    def same(self) -> str:
        """Return whether a batch over the same files has the same results."""
        table = self._spark.read.schema(self._schema).parquet(str(self._source))
        table.createOrReplaceTempView(self.question.view)
        batch = self.question.query(self._spark).where(self._of_the_year)
        return compare(batch, self.results(), self.question.key, ())


class Screen:
    """A line on the screen that shows the current day; in a log, a line per month."""

    def __init__(self, replays: Sequence[Replay]) -> None:
        self._replays = replays
        self._live = sys.stdout.isatty()

    def show(self, month: pd.Timestamp, until: pd.Timestamp) -> None:
        """Replay a month with complete results."""
        moment, end = month.to_pydatetime(), until.to_pydatetime()
        while moment + STEP <= end:
            moment += STEP
            if self._live:
                print(f"\r\x1b[K{self._line(moment)}", end="", flush=True)
                time.sleep(PACE * (STEP / timedelta(days=1)))
        if not self._live:
            print(self._line(moment), flush=True)

    def end(self) -> None:
        """Keep the last line on the screen."""
        if self._live:
            print()

    def _line(self, moment: datetime) -> str:
        shown = []
        for replay in self._replays:
            values = replay.board.at(moment.replace(tzinfo=None))
            if values is not None and None not in values:
                shown.append(replay.question.caption.format(*values))
        return "   ".join([f"{moment:%Y-%m-%d %H:%M}", *shown])


def replay(spark: SparkSession, build: Path) -> bool:
    """Replay the year on the screen; return whether the results equal the results of a batch."""
    # The number of tasks determines the cost of a small micro-batch.
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    # Muntin runs the batch as well, because stock Spark's sums differ in the last bits.
    spark.conf.set("spark.muntin.over.enabled", "true")
    replays = [Replay(spark, question, build) for question in (BAND, IN_THE_AIR)]
    began = time.perf_counter()
    queries = [r.start() for r in replays]
    try:
        _run(replays, queries)
        for query in queries:
            query.processAllAvailable()
    finally:
        for query in queries:
            query.stop()
    seconds = time.perf_counter() - began
    same = [r.same() for r in replays]
    for r, word in zip(replays, same, strict=True):
        print(f"{r.question.name}: {r.results().count():,} results; equal to a batch? {word}")
    data.read(spark, build)
    print(f"a year in {seconds:.0f} s")
    return not any(word.startswith("NO") for word in same)


def _run(replays: Sequence[Replay], queries: Sequence[StreamingQuery]) -> None:
    screen = Screen(replays)
    for r in replays:
        r.put(0)
    for number, month in enumerate(MONTHS[:-1]):
        # The stream processes the next month while the screen shows this month.
        for r in replays:
            r.put(number + 1)
        until = MONTHS[number + 1]
        for r, query in zip(replays, queries, strict=True):
            _wait_for(r, query, until)
        screen.show(month, until)
    screen.end()
    for r in replays:
        r.put_the_end()


def _wait_for(replay: Replay, query: StreamingQuery, until: pd.Timestamp) -> None:
    while not replay.has_reached(until):
        if not query.isActive:
            query.awaitTermination()  # its message shows the reason
            return
        time.sleep(0.02)
