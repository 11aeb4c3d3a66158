"""The CPU time of each part of a query, from a profile of its tasks.

Java Flight Recorder samples the stack of each thread many times a second. A sample counts for the
part of the first method from the top of the stack that belongs to a part.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from benchmarks import report
from benchmarks.contender_spark import MUNTIN
from benchmarks.data import Data
from benchmarks.exchange import CASES, FUNCTIONS, KEYS, ROWS, WIDTH
from benchmarks.session import CORES, seconds_of, session

TITLE = "## Where the time goes"
WARM, RUNS = 4, 12
OTHER = "other: planning tasks, the sink, collecting garbage"

_MUNTIN = "org.apache.spark.sql.muntin.execution"
_SPARK = "org.apache.spark"
_SQL = f"{_SPARK}.sql.execution"

READING = "reading Parquet"
SHUFFLE = "the shuffle"
SORT = "the sort"
GATHER = "bringing rows into their order"
WINDOW = "the window's functions and frames"
ROWS_OF_WINDOW = "rows to the window, and results to the rows"

# The parts by prefixes of method names; the first match counts.
PARTS: tuple[tuple[str, str], ...] = (
    (f"{_MUNTIN}.sort.SortRun.copy", GATHER),
    (f"{_MUNTIN}.sort.OrderedColumns", GATHER),
    (f"{_MUNTIN}.exchange.StripeRows", GATHER),
    (f"{_MUNTIN}.sort", SORT),
    (f"{_MUNTIN}.rows.KeyTable", SORT),
    ("io.muntin.kernel.sorting", SORT),
    (f"{_SPARK}.util.collection.unsafe.sort", SORT),
    (f"{_SQL}.UnsafeExternalRowSorter", SORT),
    (f"{_SPARK}.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering", SORT),
    (f"{_MUNTIN}.exchange", SHUFFLE),
    (f"{_SPARK}.shuffle", SHUFFLE),
    (f"{_SPARK}.storage", SHUFFLE),
    (f"{_SPARK}.io", SHUFFLE),
    ("com.github.luben.zstd", SHUFFLE),
    ("net.jpountz", SHUFFLE),
    (f"{_SQL}.UnsafeRowSerializer", SHUFFLE),
    (f"{_SQL}.exchange", SHUFFLE),
    (f"{_SQL}.datasources", READING),
    (f"{_SQL}.vectorized", READING),
    ("org.apache.parquet", READING),
    ("org.xerial.snappy", READING),
    ("io.muntin.kernel", WINDOW),
    (f"{_MUNTIN}.functions", WINDOW),
    (f"{_SQL}.window", WINDOW),
    (f"{_MUNTIN}.over.OverKernel", WINDOW),
    (f"{_MUNTIN}.over", ROWS_OF_WINDOW),
    (f"{_MUNTIN}.rows", ROWS_OF_WINDOW),
)


@dataclass(frozen=True)
class Profile:
    """The time of a query, and the share of its CPU time in each part."""

    seconds: float
    shares: dict[str, float]


def chapter(rows: int | None, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    data = Data(ROWS if rows is None else rows, KEYS)
    data.make()
    spark = session()
    spark.read.parquet(str(data.path)).createOrReplaceTempView("rows")
    floor = _profile(spark, "false", CASES[0].floor)
    say(f"parts: the floor, {floor.seconds:.2f} s")
    ours = _profile(spark, "true", CASES[0].sql)
    say(f"parts: Muntin, {ours.seconds:.2f} s")
    spark.stop()
    lines = [
        [part, *(f"{p.seconds * p.shares.get(part, 0.0):.2f}" for p in (floor, ours))]
        for part in (READING, SHUFFLE, SORT, GATHER, ROWS_OF_WINDOW, WINDOW, OTHER)
    ]
    lines.append(["in all", f"{floor.seconds:.2f}", f"{ours.seconds:.2f}"])
    return [
        "",
        TITLE,
        "",
        f"{data.rows:,} rows, {data.keys} keys, {CORES} threads; the best of {RUNS} runs in "
        "seconds, divided by the shares of CPU time in a profile of all runs. "
        "Muntin: "
        f"{', '.join(FUNCTIONS)} of a column over the last {WIDTH:,} rows.",
        "",
        *report.table(["", "stock Spark, row_number", "Muntin"], lines),
    ]


def _profile(spark: SparkSession, muntin: str, sql: str) -> Profile:
    spark.conf.set(MUNTIN, muntin)
    for _ in range(WARM):
        seconds_of(spark.sql(sql))
    jvm: Any = spark._jvm  # pyspark has no public access to the JVM
    recording = jvm.jdk.jfr.Recording(jvm.jdk.jfr.Configuration.getConfiguration("profile"))
    recording.start()
    seconds = min(seconds_of(spark.sql(sql)) for _ in range(RUNS))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "profile.jfr"
        recording.stop()
        recording.dump(jvm.java.io.File(str(file)).toPath())
        tool = Path(jvm.System.getProperty("java.home")) / "bin" / "jfr"
        counts = Counter(_part(stack) for stack in _stacks(tool, file))
    recording.close()
    if not counts:
        raise RuntimeError(f"no note of a task's thread in the profile of: {sql}")
    return Profile(seconds, {part: n / counts.total() for part, n in counts.items()})


def _stacks(tool: Path, file: Path) -> Iterator[list[str]]:
    """Yield the methods of each sample of a task's thread, from the top of the stack."""
    kinds = "jdk.ExecutionSample,jdk.NativeMethodSample"
    command = [str(tool), "print", "--json", "--stack-depth", "64", "--events", kinds, str(file)]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    for event in json.loads(printed)["recording"]["events"]:
        values = event["values"]
        thread = values.get("sampledThread") or {}
        trace = values.get("stackTrace")
        # Spark names its threads "… launch worker" while they work, and then "… idle worker".
        if trace and str(thread.get("javaName")).startswith("Executor task "):
            methods = [frame["method"] for frame in trace["frames"]]
            yield [f"{m['type']['name']}.{m['name']}".replace("/", ".") for m in methods]


def _part(stack: list[str]) -> str:
    for method in stack:
        for beginning, part in PARTS:
            if method.startswith(beginning):
                return part
    return OTHER
