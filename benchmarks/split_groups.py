"""Windows of groups with one key that has all rows, split and unsplit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from benchmarks import report
from benchmarks.data import Data
from benchmarks.groups.data import Anchors, Intervals
from benchmarks.groups.question import BASIC, Table
from benchmarks.session import seconds_of

SPLIT = "spark.muntin.split.enabled"


@dataclass(frozen=True)
class Windows:
    """One query over tables by their names."""

    title: str
    tables: dict[str, Table]
    sql: str


def questions(rows: int) -> list[Windows]:
    """Return one question of each kind."""
    fields = Data(rows, 1)
    timed = "(SELECT k, timestamp_seconds(t) AS at, v FROM r)"
    anchors = Anchors(rows // 10, 1, rows, 100)
    return [
        Windows(
            "validity, 16 valid at a time",
            {"r": Intervals(rows, 1, 16)},
            f"SELECT k, validity, {BASIC} FROM r GROUP BY k, validity(s, e)",
        ),
        Windows(
            "validity, 1,000 valid at a time",
            {"r": Intervals(rows, 1, 1_000)},
            f"SELECT k, validity, {BASIC} FROM r GROUP BY k, validity(s, e)",
        ),
        Windows(
            f"window_by, {rows // 10:,} anchors, 100 rows each",
            {"r": fields, "a": anchors},
            "SELECT * FROM window_by(TABLE(r), TABLE(a), "
            f"aggregates => '{BASIC}', time => 't', start => 'lo', end => 'hi', on => 'k')",
        ),
        Windows(
            "field_window, size / advance = 12, median",
            {"r": fields},
            f"SELECT k, field_window, median(v) FROM {timed} "
            "GROUP BY k, field_window(at, 3600, 300)",
        ),
        Windows(
            "field_window, size / advance = 12, by pane",
            {"r": fields},
            f"SELECT k, field_window, {BASIC} FROM {timed} GROUP BY k, field_window(at, 3600, 300)",
        ),
        Windows(
            "ticks, hourly, median",
            {"r": fields},
            f"SELECT k, ticks, median(v) FROM {timed} GROUP BY k, ticks(at, 'hourly')",
        ),
    ]


def seconds(spark: SparkSession, windows: Windows, is_split: bool) -> float:
    """Return the seconds of a query."""
    spark.conf.set(SPLIT, str(is_split).lower())
    for name, table in windows.tables.items():
        spark.read.parquet(str(table.path)).createOrReplaceTempView(name)
    return seconds_of(spark.sql(windows.sql))


def lines(spark: SparkSession, rows: int, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Return the table of the report."""
    measured = []
    for windows in questions(rows):
        say(f"split: {windows.title}")
        for table in windows.tables.values():
            table.make()
        best = {True: float("inf"), False: float("inf")}
        for _ in range(rounds):
            for is_split in (False, True):
                taken = seconds(spark, windows, is_split)
                best[is_split] = min(best[is_split], taken)
                say(f"  {'split' if is_split else 'one task'}: {taken:.2f} s")
        gain = best[False] / best[True]
        measured.append([windows.title, f"{best[True]:.2f}", f"{best[False]:.2f}", f"{gain:.2f}"])
    return [
        "",
        "Windows of groups:",
        "",
        *report.table(["", "Muntin, split", "Muntin, one task", "gain"], measured),
    ]
