"""The year replayed as a stream: month after month arrives, and the screen follows its results."""

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

# The seconds on the screen per day of the year, if its rows have arrived.
PACE = 0.04
STEP = timedelta(hours=6)


@dataclass(frozen=True)
class Replayed:
    """A question that is asked of a stream, word for word as of a table.

    Parameters
    ----------
    name
        The directory of its files.
    table, view
        Whose rows are replayed, and the view that the question is over.
    time, watermark
        The column of its time, and how far rows may be behind the newest before them.
    query
        The question.
    key
        The columns that tell its results apart.
    at, values
        The columns of its results that the screen shows: when, and what.
    only
        Which results the screen shows.
    caption
        How it shows them.
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
    """A question's stream: month after month into a folder, and from there to the results."""

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
        """Begin the query, over a stream in which there is nothing yet."""
        reader = self._spark.readStream.schema(self._schema).option("maxFilesPerTrigger", 1)
        stream = reader.parquet(str(self._source))
        timed = stream.withWatermark(self.question.time, self.question.watermark)
        timed.createOrReplaceTempView(self.question.view)
        writer = self.question.query(self._spark).writeStream.foreachBatch(self._take)
        return writer.option("checkpointLocation", str(self._folder / "checkpoint")).start()

    def put(self, number: int) -> None:
        """Let a month's rows arrive; after the last month, what the year has left."""
        times = self._rows[self.question.time]
        ends = [*MONTHS, THE_END]
        self._write(number, self._rows[(times >= ends[number]) & (times < ends[number + 1])])

    def has_reached(self, until: pd.Timestamp) -> bool:
        """Whether the results of the rows until then are there, or all but the last few."""
        times = self._rows[self.question.time]
        newest = times[times < until].max().tz_convert(MONTHS.tz).tz_localize(None)
        reached = self.board.reached
        return reached is not None and reached >= newest.to_pydatetime() - timedelta(hours=12)

    def put_the_end(self) -> None:
        """Let a row arrive that is later than all, which lets out those that wait for it."""
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
        # A micro-batch that comes again, after a failure, takes the place of what it left.
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
    """A line that goes through the year; in a log, a line a month."""

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
        """Leave the last line where it is."""
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
    """Replay the year on the screen; return whether the results are those of a batch."""
    # The cost of a small micro-batch is that of its tasks.
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    # The batch too has Muntin's sums: those of stock Spark differ in the last bits.
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
        print(f"{r.question.name}: {r.results().count():,} results; as a batch says? {word}")
    data.read(spark, build)
    print(f"a year in {seconds:.0f} s")
    return not any(word.startswith("NO") for word in same)


def _run(replays: Sequence[Replay], queries: Sequence[StreamingQuery]) -> None:
    screen = Screen(replays)
    for r in replays:
        r.put(0)
    for number, month in enumerate(MONTHS[:-1]):
        # The month after is on its way while this one is on the screen.
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
