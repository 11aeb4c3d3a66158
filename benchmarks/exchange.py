"""Compares the columnar exchange with Spark's exchange: one window over both, and its floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from benchmarks import report
from benchmarks.contender_spark import MUNTIN
from benchmarks.data import BUILD, Data, whole
from benchmarks.session import CORES, seconds_of, session

ROWS = 4_000_000
KEYS = 100
WIDTH = 1_000
BAR = 0.36
EXCHANGE = "spark.muntin.exchange.enabled"
PARTITIONS = "spark.sql.shuffle.partitions"
FUNCTIONS = ("sum", "avg", "min", "max", "count")
ROWS_OF_CHECK = 20_000
TITLE = "## The exchange of columns"


@dataclass(frozen=True)
class Named:
    """The rows of Data, with a string of about ten bytes in each."""

    rows: int
    keys: int

    @property
    def path(self) -> Path:
        """Return the path of the Parquet files."""
        return BUILD / f"{self.rows}-rows-{self.keys}-keys-named"

    def make(self) -> None:
        """Write the files, unless they exist."""
        data = Data(self.rows, self.keys)
        data.make()
        if self.path.exists():
            return
        with whole(self.path) as folder:
            for file in sorted(data.path.glob("*.parquet")):
                table = pq.read_table(file)
                numbers = pc.cast(table["d"], pa.string())
                names = pc.binary_join_element_wise("name", numbers, " ")
                pq.write_table(table.append_column("s", names), folder / file.name)


@dataclass(frozen=True)
class Case:
    """One query: its columns, its input, and its number of partitions."""

    title: str
    columns: str
    input: str
    value: str = "v"
    key: str = "k"
    partitions: int = 8

    @property
    def sql(self) -> str:
        """Return the query with the window."""
        results = ", ".join(f"{f}({self.value}) OVER w AS {f}_v" for f in FUNCTIONS)
        return (
            f"SELECT {self.columns}, {results} FROM {self.input} WINDOW w AS "
            f"(PARTITION BY {self.key} ORDER BY t ROWS {WIDTH - 1} PRECEDING)"
        )

    @property
    def floor(self) -> str:
        """Shuffle, sort and project the same rows."""
        return (
            f"SELECT {self.columns}, row_number() OVER (PARTITION BY {self.key} ORDER BY t) AS n "
            f"FROM {self.input}"
        )


CASES = (
    Case("numbers", "k, t, v", "rows"),
    Case("numbers and a string", "k, t, v, s", "rows"),
    Case(
        "numbers, filtered and computed",
        "k, t, x",
        "(SELECT k, t, v * 2 AS x FROM rows WHERE t >= 0)",
        value="x",
    ),
    Case("numbers, the argument computed: v * 2", "k, t, v", "rows", value="(v * 2)"),
    Case("numbers, the key computed: k + 1", "k, t, v", "rows", key="k + 1"),
    Case("numbers, 200 partitions", "k, t, v", "rows", partitions=200),
)


def chapter(rows: int | None, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    data = Named(ROWS if rows is None else rows, KEYS)
    data.make()
    spark = session()
    wrong = _differences(spark, say)
    spark.read.parquet(str(data.path)).createOrReplaceTempView("rows")
    lines = []
    for case in CASES:
        say(f"exchange: {case.title}")
        spark.conf.set(PARTITIONS, str(case.partitions))
        jobs = {
            "floor": ("false", "false", case.floor),
            "off": ("true", "false", case.sql),
            "on": ("true", "true", case.sql),
        }
        best = dict.fromkeys(jobs, float("inf"))
        for number in range(rounds):
            for name, (muntin, exchange, sql) in jobs.items():
                spark.conf.set(MUNTIN, muntin)
                spark.conf.set(EXCHANGE, exchange)
                seconds = seconds_of(spark.sql(sql))
                best[name] = min(best[name], seconds)
                say(f"  round {number + 1}  {name:<6}{seconds:7.2f} s")
        off, on = best["off"] / best["floor"], best["on"] / best["floor"]
        verdict = " !" if case is CASES[0] and on > BAR else ""
        seen = [f"{s:.2f}" for s in best.values()]
        lines.append([case.title, *seen, f"{off:.2f}", f"{on:.2f}{verdict}"])
    spark.stop()
    head = ["", "floor", "Spark's exchange", "of columns", "Spark's / floor", "of columns / floor"]
    return [
        "",
        TITLE,
        "",
        f"{data.rows:,} rows, {data.keys} keys, {', '.join(FUNCTIONS)} of a column over the last "
        f"{WIDTH:,} rows, {CORES} threads, 8 partitions by default. Best of {rounds} "
        f"rounds, in seconds. For numbers, the last figure must be {BAR} or less.",
        "",
        *report.table(head, lines),
        *(["", f"Rows that differ: {wrong}"] if wrong else []),
    ]


def _differences(spark: SparkSession, say: Callable[[str], None]) -> str:
    """Return the queries that return other rows with the columnar exchange, on a few rows."""
    few = Named(ROWS_OF_CHECK, 10)
    few.make()
    spark.read.parquet(str(few.path)).createOrReplaceTempView("rows")
    spark.conf.set(MUNTIN, "true")
    wrong = []
    for case in CASES:
        found = []
        for exchange in ("false", "true"):
            spark.conf.set(EXCHANGE, exchange)
            table = spark.sql(case.sql).toArrow()
            found.append(table.sort_by([("k", "ascending"), ("t", "ascending")]))
        if not found[0].equals(found[1]):
            wrong.append(case.title)
    say(f"exchange: {wrong or 'the same rows'}")
    return ", ".join(wrong)
