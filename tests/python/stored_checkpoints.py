"""Writes checkpoints of streams with aggregators in Python, which later versions continue.

    python tests/python/stored_checkpoints.py

writes the file of the running Spark into `tests/python/checkpoints`. Do so for a new Spark or
a new query, and never to replace a file: released versions have written such checkpoints.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import muntin as mt
import pyspark
from micro_batches import WATERMARK, Reading, exact, in_files, streamed
from muntin import _sparks
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

STORED = Path(__file__).with_name("checkpoints")
# The entry with the absolute path of the checkpoint's folder, which Spark's metadata contains.
FOLDER = "folder"

EARLY: list[list[Reading]] = [
    [("a", 10, 1, 1.5), ("b", 0, 2, -2.0), ("a", 11, 3, 4.0), ("a", 12, 4, 0.5)],
    [("a", 14, 5, -3.0), ("b", 40, 6, None), (None, 35, 7, 7.25), ("a", 31, 8, 0.25)],
    [("a", 58, 9, -3.0), ("b", 61, 10, 2.0), ("b", 85, 11, 4.0), (None, 90, 12, -0.5)],
]
LATER: list[list[Reading]] = [
    [("a", 130, 13, 0.5), ("b", 120, 14, 1.0), ("b", 131, 15, 1.0), (None, 140, 16, 2.0)],
    [("a", 190, 17, 1.0), ("b", 195, 18, None), ("a", 300, 19, 3.0)],
]


def aggregators() -> tuple[mt.Aggregator, mt.Aggregator, mt.Aggregator]:
    """Return aggregates that recompute, merge and retract. Python workers lack this module."""

    class Listing:
        def __init__(self) -> None:
            self.rows: list[Any] = []

        def update(self, *columns: Any) -> None:
            self.rows += list(zip(*columns, strict=True))

        def evaluate(self) -> str:
            shown = ["|".join("-" if v is None else str(v) for v in row) for row in self.rows]
            return ", ".join(shown)

    class Merged(Listing):
        def merge(self, other: Merged) -> None:
            self.rows += other.rows

    class Retracted(Listing):
        def retract(self, *columns: Any) -> None:
            del self.rows[: len(columns[0])]

    listing, merged, retracted = (
        mt.aggregator(kind, returns="string", values="list")
        for kind in (Listing, Merged, Retracted)
    )
    return listing, merged, retracted


listing, merged, retracted = aggregators()


def over(rows: DataFrame) -> DataFrame:
    """Return frames, the last rows, and the rows since an event."""
    ordered = Window.partitionBy("k").orderBy("t")
    minute = mt.over("k", "t", range=("-1 minute", "0 seconds"))
    return rows.select(
        "i",
        listing("x", "i").over(ordered.rowsBetween(-3, 0)).alias("three"),
        merged("x", "i").over(minute).alias("minute"),
        retracted("x").over(ordered.rowsBetween(-4, -1)).alias("before"),
        mt.sliding(listing("i"), 2).over(ordered).alias("two"),
        mt.since(merged("x"), F.col("i") % 4 == 0).over(ordered).alias("since"),
    )


def grouped(rows: DataFrame) -> DataFrame:
    """Return windows of groups."""
    windows = rows.groupBy("k", mt.field_window("t", 60, 60).alias("w"))
    return windows.agg(F.max("i").alias("i"), merged("x", "i").alias("rows"), F.count("*"))


QUERIES: dict[str, Callable[[DataFrame], DataFrame]] = {"over": over, "grouped": grouped}


def stored_sparks() -> list[str]:
    """Return the Sparks that have a file, and are not later than the running Spark."""
    here = _sparks.minor_of(pyspark.__version__)
    stored = (file.stem.removeprefix("spark-") for file in STORED.glob("*.zip"))
    return sorted(spark for spark in stored if spark <= here)


def write(spark: SparkSession, file: Path) -> None:
    """Write the checkpoints of all queries after the early rows."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name, query in QUERIES.items():
            with tempfile.TemporaryDirectory() as folder:
                checkpoint = Path(folder) / "checkpoint"
                files = in_files(Path(folder) / "rows", EARLY)
                streamed(spark, files, query, checkpoint=checkpoint)
                written.writestr(f"{name}/{FOLDER}", str(checkpoint))
                for entry in sorted(checkpoint.rglob("*")):
                    # Checksums of the local file system would fail for altered files.
                    if entry.is_file() and entry.suffix != ".crc":
                        path = entry.relative_to(checkpoint)
                        written.writestr(f"{name}/checkpoint/{path}", entry.read_bytes())


def extract(of_spark: str, name: str, to: Path) -> None:
    """Extract a checkpoint to the folder `to`."""
    prefix = f"{name}/checkpoint/"
    with zipfile.ZipFile(STORED / f"spark-{of_spark}.zip") as stored:
        before = stored.read(f"{name}/{FOLDER}")
        for entry in stored.namelist():
            if entry.startswith(prefix):
                file = to / entry.removeprefix(prefix)
                file.parent.mkdir(parents=True, exist_ok=True)
                contents = stored.read(entry)
                if "_metadata" in entry:
                    contents = contents.replace(before, str(to).encode())
                file.write_bytes(contents)


def continued(
    spark: SparkSession, name: str, checkpoint: Path, folder: Path
) -> list[tuple[Any, ...]]:
    """Return the results of the later rows, from the checkpoint. Its early files are absent."""
    out = str(folder / "results")

    def keep(results: DataFrame, _: int) -> None:
        results.write.mode("append").parquet(out)

    rows = in_files(folder / "rows", LATER).stream(spark).withWatermark("t", WATERMARK)
    writer = QUERIES[name](rows).writeStream.foreachBatch(keep).trigger(availableNow=True)
    running = writer.option("checkpointLocation", str(checkpoint)).start()
    try:
        assert running.awaitTermination(600)
    finally:
        running.stop()
    return exact(spark.read.parquet(out))


if __name__ == "__main__":
    os.environ["PYSPARK_PYTHON"] = sys.executable
    STORED.mkdir(exist_ok=True)
    session = mt.configure(
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.ansi.enabled", "false")
    ).getOrCreate()
    write(session, STORED / f"spark-{_sparks.minor_of(pyspark.__version__)}.zip")
    session.stop()
