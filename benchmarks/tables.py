"""Sorted, wide and large tables, compared with stock Spark's `row_number`.

Each query runs in a separate process, whose Spark writes an event log. The benchmark reads the
shuffled and spilled bytes from the log. `python -m benchmarks.tables CASE CONTENDER ROWS LOG` is
such a process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from benchmarks import report
from benchmarks.contender_spark import MUNTIN
from benchmarks.data import BUILD, FILES, KEYS_PER_ROW, ROOT, Data, whole
from benchmarks.memory import events, logging_to
from benchmarks.session import CORES, seconds_of, session

ROUNDS = 6
TITLE = "## Sorted, wide and large tables"
WINDOW = "WINDOW w AS (PARTITION BY k ORDER BY t ROWS 999 PRECEDING)"
FUNCTIONS = ("sum", "avg", "min", "max", "count")
STOCK, OURS = "stock Spark", "Muntin"


@dataclass(frozen=True)
class Sorted:
    """The rows of Data in the order of their keys and times, file after file."""

    rows: int
    keys: int = 100

    @property
    def path(self) -> Path:
        """Return the path of the Parquet files."""
        return BUILD / f"{self.rows}-rows-{self.keys}-keys-sorted"

    def make(self) -> None:
        """Write the files, unless they exist."""
        data = Data(self.rows, self.keys)
        data.make()
        if self.path.exists():
            return
        table = pq.read_table(data.path, columns=["k", "t", "v"])
        table = table.sort_by([("k", "ascending"), ("t", "ascending")])
        step = -(-self.rows // FILES)
        with whole(self.path) as folder:
            for n in range(FILES):
                pq.write_table(table.slice(n * step, step), folder / f"part-{n}.parquet")


@dataclass(frozen=True)
class Wide:
    """Rows of 30 columns in random order: k, t, v, 8 whole numbers, 9 doubles, 10 strings.

    The strings are typical: a country, a city, a status, the name of a device, a text that few rows
    share, and so on.
    """

    rows: int
    keys: int = 100

    @property
    def path(self) -> Path:
        """Return the path of the Parquet files."""
        return BUILD / f"{self.rows}-rows-{self.keys}-keys-30-columns"

    def make(self) -> None:
        """Write the files, unless they exist."""
        if self.path.exists():
            return
        random = np.random.default_rng(20130103)
        distinct = (6, 20, 200, 1_000, 5_000, 20_000, 100_000, 100_000, self.rows, self.rows)
        step = -(-self.rows // FILES)
        with whole(self.path) as folder:
            for n in range(FILES):
                i = np.arange(n * step, min(self.rows, (n + 1) * step))
                columns = {
                    "k": random.integers(0, self.keys, i.size).astype("int32"),
                    "t": random.permutation(i) * KEYS_PER_ROW,
                    "v": random.normal(100.0, 15.0, i.size),
                    **{f"n{c}": random.integers(0, 10 ** (c + 1), i.size) for c in range(8)},
                    **{f"x{c}": random.normal(0.0, 1.0, i.size) for c in range(9)},
                    **{
                        f"s{c}": pa.array(
                            [f"text {c} {x:x}" for x in random.integers(0, d, i.size)]
                        )
                        for c, d in enumerate(distinct)
                    },
                }
                pq.write_table(pa.table(columns), folder / f"part-{n}.parquet")


@dataclass(frozen=True)
class Large:
    """Rows of k, t and v in random order, in files of a million rows each."""

    rows: int
    keys: int = 1_000

    @property
    def path(self) -> Path:
        """Return the path of the Parquet files."""
        return BUILD / f"{self.rows}-rows-{self.keys}-keys-ktv"

    def make(self) -> None:
        """Write the files, unless they exist."""
        if self.path.exists():
            return
        random = np.random.default_rng(20130104)
        step = 1_000_000
        with whole(self.path) as folder:
            for n in range(-(-self.rows // step)):
                size = min(step, self.rows - n * step)
                columns = {
                    "k": random.integers(0, self.keys, size).astype("int32"),
                    "t": random.integers(0, self.rows * KEYS_PER_ROW, size),
                    "v": random.normal(100.0, 15.0, size),
                }
                pq.write_table(pa.table(columns), folder / f"part-{n:03}.parquet")


@dataclass(frozen=True)
class Case:
    """A table, its query, and its limits."""

    title: str
    data: Sorted | Wide | Large
    heap: str
    rounds: int
    most_seconds: float | None = None
    most_shuffled: float | None = None

    def sql(self, who: str) -> str:
        """Return the query: Muntin's window, or row_number in stock Spark."""
        if who == OURS:
            results = ", ".join(f"{f}(v) OVER w AS {f}_v" for f in FUNCTIONS)
            return f"SELECT *, {results} FROM rows {WINDOW}"
        return "SELECT *, row_number() OVER (PARTITION BY k ORDER BY t) AS n FROM rows"


def cases(rows: int | None) -> dict[str, Case]:
    """Return all cases; `rows` replaces the default number of rows."""
    return {
        "sorted": Case(
            "sorted by key and time in its files",
            Sorted(rows or 4_000_000),
            "6g",
            ROUNDS,
            most_seconds=0.3,
        ),
        "wide": Case(
            "30 columns, 10 of them strings",
            Wide(rows or 1_000_000),
            "6g",
            ROUNDS,
            most_shuffled=0.7,
        ),
        "large": Case(
            "1,000 keys, a heap of 4 GiB", Large(rows or 100_000_000), "4g", 1, most_seconds=0.6
        ),
    }


def chapter(rows: int | None, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    lines = []
    for name, case in cases(rows).items():
        case.data.make()
        found = {}
        for who in (STOCK, OURS):
            found[who] = _measure(name, who, rows)
            say(f"tables: {case.title}, {who}: {found[who]}")
        stock, ours = found[STOCK], found[OURS]
        title = f"{case.data.rows:,} rows, {case.title}"
        for who, run in found.items():
            lines.append(
                [
                    title if who == STOCK else "",
                    who,
                    f"{run.seconds:.2f}",
                    f"{run.shuffled / 2**20:,.0f}",
                    f"{run.spilled / 2**20:,.0f}",
                    _ratio(who, ours.seconds / stock.seconds, case.most_seconds),
                    _ratio(who, ours.shuffled / stock.shuffled, case.most_shuffled),
                ]
            )
    head = ["", "who", "seconds", "MiB shuffled", "MiB to disk", "time / it", "shuffled / it"]
    return [
        "",
        TITLE,
        "",
        f"All columns, and {', '.join(FUNCTIONS)} of one over the last 1,000 rows of each key, by "
        f"Muntin; all columns and row_number() by stock Spark; {CORES} threads, 8 partitions, best "
        f"of {ROUNDS} consecutive runs in a separate session, one run for 100,000,000 rows. "
        "! marks a ratio above its limit.",
        "",
        *report.table(head, lines),
    ]


@dataclass(frozen=True)
class Run:
    """The best time of a query, and the bytes that it shuffled and spilled."""

    seconds: float
    shuffled: int
    spilled: int


def _ratio(who: str, ratio: float, limit: float | None) -> str:
    if who == OURS:
        return ""
    if limit is None:
        return f"{ratio:.2f}"
    return f"{ratio:.2f}{' !' if ratio > limit else ''} (<= {limit})"


def _measure(name: str, who: str, rows: int | None) -> Run:
    with tempfile.TemporaryDirectory(prefix="muntin-tables-") as log:
        command = [sys.executable, "-m", "benchmarks.tables", name, who, str(rows or 0), log]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        seconds, times = (float(x) for x in done.stdout.split()[-2:])
        shuffled = spilled = 0
        for event in events(Path(log)):
            if event["Event"] == "SparkListenerTaskEnd":
                written = event["Task Metrics"]["Shuffle Write Metrics"]
                shuffled += written["Shuffle Bytes Written"]
                spilled += event["Task Metrics"]["Disk Bytes Spilled"]
        return Run(seconds, round(shuffled / times), round(spilled / times))


def run(name: str, who: str, rows: int, log: str) -> None:
    """Run the query in this process; print the best time and the number of runs."""
    case = cases(rows or None)[name]
    spark = session(case.heap, **logging_to(log))
    spark.conf.set(MUNTIN, str(who == OURS).lower())
    spark.read.parquet(str(case.data.path)).createOrReplaceTempView("rows")
    best = min(seconds_of(spark.sql(case.sql(who))) for _ in range(case.rounds))
    spark.stop()
    print(best, case.rounds)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
