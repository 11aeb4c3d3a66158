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

# A row with only a time, in a separate group: it advances time past every frame.
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
    """A folder of files. Each file is a micro-batch."""

    folder: Path

    def add(self, rows: Iterable[Reading]) -> None:
        """Write a file atomically. It is newer than the previous files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(list(self.folder.glob("*.parquet")))
        columns = list(zip(*rows, strict=True)) or [()] * 4
        times = [None if s is None else ORIGIN + timedelta(seconds=s) for s in columns[1]]
        table = pa.table([columns[0], times, columns[2], columns[3]], schema=COLUMNS)
        hidden = self.folder / f"_{number:05}"
        pq.write_table(table, hidden)
        # The source reads files in the order of their modification times. The times differ by a
        # second and are in the past, so that files are read in the order of their numbers.
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
    """The results of a query, and the progress of each micro-batch."""

    rows: list[tuple[Any, ...]]
    progress: list[Any]

    def operator(self, name: str) -> list[int]:
        """Return a metric of the stateful operator, for each micro-batch."""
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
    """Run a query over all files, micro-batch by micro-batch, until all input is processed."""
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
    """Return the rows without LAST, sorted, with the bits of their doubles."""
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
