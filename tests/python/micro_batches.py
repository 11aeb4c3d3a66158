"""Streams for tests: files as micro-batches, and the results of a query over them."""

from __future__ import annotations

import itertools
import os
import struct
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

SCHEMA = "k string, t timestamp, i bigint, x double"
WATERMARK = "1 minute"
ORIGIN = datetime(2024, 1, 1, tzinfo=UTC)

# k, seconds after ORIGIN (None: no time), i, x
Reading = tuple[str | None, int | None, int, float | None]
Query = Callable[[DataFrame], DataFrame]

# A row with a time and nothing else, in a group of its own: moves time past every frame.
LAST: Reading = ("the end", 10**7, -1, None)

COLUMNS = pa.schema(
    [
        ("k", pa.string()),
        ("t", pa.timestamp("us", tz="UTC")),
        ("i", pa.int64()),
        ("x", pa.float64()),
    ]
)

_names = itertools.count()


@dataclass
class Files:
    """A folder of files, each of them a micro-batch."""

    folder: Path

    def add(self, rows: Iterable[Reading]) -> None:
        """Write a file, which appears all at once and is newer than those before."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(list(self.folder.glob("*.parquet")))
        columns = list(zip(*rows, strict=True)) or [()] * 4
        times = [None if s is None else ORIGIN + timedelta(seconds=s) for s in columns[1]]
        table = pa.table([columns[0], times, columns[2], columns[3]], schema=COLUMNS)
        hidden = self.folder / f"_{number:05}"
        pq.write_table(table, hidden)
        # The source takes files by the time of their last change: a second apart, and not of today,
        # so that the order is that of the numbers.
        at = time.time() - 86400 + number
        os.utime(hidden, (at, at))
        hidden.rename(self.folder / f"{number:05}.parquet")

    def batch(self, spark: SparkSession) -> DataFrame:
        return spark.read.schema(SCHEMA).parquet(str(self.folder))

    def stream(self, spark: SparkSession) -> DataFrame:
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder))


@dataclass
class Outcome:
    """The results of a query, and its progress of each micro-batch."""

    rows: list[tuple[Any, ...]]
    progress: list[Any]

    def operator(self, name: str) -> list[int]:
        """A metric of the operator with state, micro-batch by micro-batch."""
        states = [p["stateOperators"][0] for p in self.progress]
        return [s.get(name, s["customMetrics"].get(name)) for s in states]


def streamed(
    spark: SparkSession,
    files: Files,
    query: Query,
    *,
    watermark: str | None = WATERMARK,
    checkpoint: Path | None = None,
    mode: str = "append",
) -> Outcome:
    """Run a query over all files, one micro-batch after the other, until nothing is left to do."""
    name = f"streamed_{next(_names)}"
    stream = files.stream(spark)
    if watermark is not None:
        stream = stream.withWatermark("t", watermark)
    writer = query(stream).writeStream.format("memory").queryName(name).outputMode(mode)
    if checkpoint is not None:
        writer = writer.option("checkpointLocation", str(checkpoint))
    running = writer.trigger(availableNow=True).start()
    try:
        assert running.awaitTermination(600)
        progress = list(running.recentProgress)
    finally:
        running.stop()
    return Outcome(exact(spark.table(name)), progress)


def over_files(spark: SparkSession, files: Files, query: Query) -> list[tuple[Any, ...]]:
    """Return the results of the query over all rows at once."""
    return exact(query(files.batch(spark)))


def exact(frame: DataFrame) -> list[tuple[Any, ...]]:
    """The rows but for LAST, in an order, with the bits of their doubles."""
    rows = [tuple(_bits(v) for v in row) for row in frame.collect() if row.i >= 0]
    return sorted(rows, key=repr)


def _bits(value: Any) -> Any:
    if isinstance(value, list):
        return [_bits(v) for v in value]
    return struct.pack(">d", value).hex() if isinstance(value, float) else value


def in_files(folder: Path, batches: Sequence[Sequence[Reading]]) -> Files:
    files = Files(folder)
    for batch in batches:
        files.add(batch)
    return files
