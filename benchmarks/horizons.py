"""Many frames on one key: six columns over five horizons in one query, and over one horizon.

sum, avg, min and max of each column over each frame: 24 results for each row with one frame, 120
with five.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from benchmarks import report
from benchmarks.contender_spark import MUNTIN
from benchmarks.data import BUILD, FILES, KEYS_PER_ROW, SECONDS_PER_KEY, whole
from benchmarks.session import CORES, seconds_of, session

ROWS = 4_000_000
KEYS = 100
COLUMNS = tuple(f"x{i}" for i in range(1, 7))
FUNCTIONS = ("sum", "avg", "min", "max")
BAR = 2.5
# With one row per minute: an hour, six hours, a day, a week, two weeks.
HORIZONS = (60, 360, 1_440, 10_080, 20_160)
ONE = HORIZONS[2:3]
ROWS_OF_CHECK = 20_000
TOLERANCE = 1e-9
TITLE = "## Many frames on one key"


@dataclass(frozen=True)
class Rows:
    """Rows in random order: k, t (bigint), ts (timestamp) and six doubles."""

    rows: int
    keys: int

    @property
    def path(self) -> str:
        """Return the path of the Parquet files."""
        return str(BUILD / f"{self.rows}-rows-{self.keys}-keys-six")

    def make(self) -> None:
        """Write the files, unless they exist."""
        path = Path(self.path)
        if path.exists():
            return
        random = np.random.default_rng(20130102)
        order = random.permutation(self.rows)
        t = order // self.keys * KEYS_PER_ROW + random.integers(0, KEYS_PER_ROW, self.rows)
        start = np.datetime64("2013-01-01T00:00:00", "us")
        times = start + (t * SECONDS_PER_KEY).astype("timedelta64[s]")
        table = pa.table(
            {
                "k": (order % self.keys).astype("int32"),
                "t": t,
                "ts": pa.array(times, pa.timestamp("us", "UTC")),
                **{c: random.normal(100.0, 15.0, self.rows) for c in COLUMNS},
            }
        )
        step = -(-self.rows // FILES)
        with whole(path) as folder:
            for n in range(FILES):
                pq.write_table(table.slice(n * step, step), folder / f"part-{n}.parquet")


def query(unit: str, horizons: Iterable[int]) -> str:
    """Return a query for every function of every column over each horizon."""
    order = "t" if unit == "ROWS" else "ts"
    windows, results = [], []
    for h in horizons:
        reach = f"{h - 1}" if unit == "ROWS" else f"INTERVAL {h - 1} MINUTES"
        windows.append(
            f"w{h} AS (PARTITION BY k ORDER BY {order} "
            f"{unit} BETWEEN {reach} PRECEDING AND CURRENT ROW)"
        )
        results += [f"{f}({c}) OVER w{h} AS {f}_{c}_{h}" for c in COLUMNS for f in FUNCTIONS]
    return (
        f"SELECT k, {order}, {', '.join(COLUMNS)}, {', '.join(results)} FROM rows "
        f"WINDOW {', '.join(windows)}"
    )


def floor(unit: str) -> str:
    """Shuffle, sort and project the same rows."""
    order = "t" if unit == "ROWS" else "ts"
    return (
        f"SELECT k, {order}, {', '.join(COLUMNS)}, row_number() OVER (PARTITION BY k ORDER BY "
        f"{order}) AS n FROM rows"
    )


def chapter(rows: int | None, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    data = Rows(ROWS if rows is None else rows, KEYS)
    data.make()
    spark = session()
    wrong = _differences(spark, say)
    spark.read.parquet(data.path).createOrReplaceTempView("rows")
    lines = []
    for unit in ("ROWS", "RANGE"):
        jobs = {
            "floor": (False, floor(unit)),
            "one frame": (True, query(unit, ONE)),
            "five frames": (True, query(unit, HORIZONS)),
        }
        best = dict.fromkeys(jobs, float("inf"))
        for number in range(rounds):
            for name, (muntin, sql) in jobs.items():
                seconds = _run(spark, muntin, sql)
                best[name] = min(best[name], seconds)
                say(f"  round {number + 1}  {name:<12}{seconds:7.2f} s  {unit}")
        ratio = best["five frames"] / best["one frame"]
        verdict = "" if ratio <= BAR else " !"
        lines.append([unit, *(f"{s:.2f}" for s in best.values()), f"{ratio:.2f}{verdict}"])
    spark.stop()
    head = ["", "floor", "one frame", "five frames", f"five / one (<= {BAR})"]
    return [
        "",
        TITLE,
        "",
        f"{data.rows:,} rows, {data.keys} keys, {', '.join(FUNCTIONS)} of {len(COLUMNS)} columns, "
        f"{CORES} threads, over the last {HORIZONS[2]:,} rows or minutes, and over "
        f"{', '.join(f'{h:,}' for h in HORIZONS)} in one query. Best of {rounds} rounds, in "
        "seconds.",
        "",
        *report.table(head, lines),
        *(["", f"Rows that differ from stock Spark's: {wrong}"] if wrong else []),
    ]


def _run(spark: SparkSession, muntin: bool, sql: str) -> float:
    spark.conf.set(MUNTIN, str(muntin).lower())
    return seconds_of(spark.sql(sql))


def _differences(spark: SparkSession, say: Callable[[str], None]) -> str:
    """Return the differences from stock Spark, on a few rows."""
    few = Rows(ROWS_OF_CHECK, 10)
    few.make()
    spark.read.parquet(few.path).createOrReplaceTempView("rows")
    wrong = []
    for unit in ("ROWS", "RANGE"):
        found = []
        for muntin in ("false", "true"):
            spark.conf.set(MUNTIN, muntin)
            table = spark.sql(query(unit, (60, 360))).toArrow()
            found.append(table.sort_by([("k", "ascending"), (table.column_names[1], "ascending")]))
        wrong += [
            f"{unit} {name}"
            for name in found[0].column_names[2:]
            if not np.allclose(
                found[0][name].to_numpy(), found[1][name].to_numpy(), rtol=TOLERANCE, atol=0.0
            )
        ]
    say(f"horizons: {wrong or 'as stock Spark'}")
    return ", ".join(wrong)


if __name__ == "__main__":
    print("\n".join(chapter(None, int(sys.argv[1]) if len(sys.argv) > 1 else 3, print)))
