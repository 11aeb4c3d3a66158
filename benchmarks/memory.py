"""The spill of the window operator in a JVM of 1 GiB: one key, narrow and very wide frames.

Each contender runs in a separate process, which writes Spark's event log. The benchmark reads the
spill from the log. `python -m benchmarks.memory CONTENDER JOB ROWS LOG` is such a process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.contender_spark import Muntin, Spark
from benchmarks.data import ROOT, Data
from benchmarks.query import BASIC, Frame, Job, Ordered, Query, Window
from benchmarks.session import seconds_of, session

ROWS = 20_000_000
HEAP = "1g"
FRAME = Frame("ROWS", "preceding", width=1_001)
NARROW = "narrow"
TITLE = "## Memory"
WIDE_TITLE = "## Frames wider than memory"
WIDE_ROWS = 30_000_000
WIDTH = 3_000_000


@dataclass(frozen=True)
class Rest(Ordered):
    """From each row to the last row of its key, which all results of the key wait for."""

    @property
    def clause(self) -> str:
        return f"ORDER BY {self.order} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"


MIDDLE = Query(
    "sum + avg + min + max + percentile",
    {
        "sum_v": "sum(v)",
        "avg_v": "avg(v)",
        "min_v": "min(v)",
        "max_v": "max(v)",
        "p90_v": "percentile(v, 0.9)",
    },
    ("v",),
)
DISTINCT = Query(
    "count distinct + mode",
    {"distinct_v": "count(DISTINCT v)", "mode_v": "mode(v)", "distinct_d": "count(DISTINCT d)"},
    ("v", "d"),
)
WIDE: dict[str, tuple[Query, Window]] = {
    "wide ROWS": (MIDDLE, Frame("ROWS", "preceding", width=WIDTH)),
    "wide RANGE": (MIDDLE, Frame("RANGE", "preceding", width=WIDTH)),
    "rest": (BASIC, Rest("t")),
    "distinct": (DISTINCT, Frame("ROWS", "preceding", width=WIDTH)),
}
CONTENDERS: dict[str, type[Spark]] = {"stock": Spark, "muntin": Muntin}


@dataclass(frozen=True)
class Spill:
    """Bytes of rows that left memory in one query.

    Stock Spark's window makes the sort below it spill its remaining rows, so the window's spill
    includes everything that is spilled after the end of the sort.
    """

    total: int
    sort: int
    disk: int
    operator: dict[str, int]

    @property
    def window(self) -> int:
        """Return the bytes that were spilled while the window operator ran."""
        return self.total - self.sort


def chapter(rows: int | None, with_muntin: bool, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    rows = ROWS if rows is None else rows
    Data(rows, 1).make()
    lines = []
    kept = True
    for name in ("stock", "muntin") if with_muntin else ("stock",):
        say(f"memory: {CONTENDERS[name].name}, {rows:,} rows of one key")
        spill, seconds = _measure(name, NARROW, rows)
        if name == "muntin":
            kept = spill.window == 0
        own = ", ".join(f"{what} {_bytes(n)}" for what, n in spill.operator.items()) or "-"
        lines.append(
            [
                CONTENDERS[name].name,
                _bytes(spill.window),
                own,
                _bytes(spill.sort),
                _bytes(spill.disk),
                f"{seconds:.0f} s" if name == "muntin" else f"{seconds:.0f} s, to the first row",
            ]
        )
        say(f"  spilled in the window: {_bytes(spill.window)}; {seconds:.0f} s")
    head = ["", "spilled in the window", "its own metric", "in the sort", "to disk", "time"]
    text = [
        "",
        TITLE,
        "",
        f"{rows:,} rows of one key, {BASIC.title} {FRAME.clause}, driver heap {HEAP}, one task. "
        "Spills are the bytes of rows that left memory, from the tasks' metrics; on disk they are "
        "compressed. Stock Spark buffers the whole partition before its first row, and would then "
        "take minutes more, so it is stopped there. Muntin runs to the end, over its own sort.",
        "",
        *report.table(head, lines),
    ]
    if with_muntin:
        text += ["", f"No spill in Muntin's window: {'yes' if kept else '**no**'}."]
    return text


def wide_chapter(rows: int | None, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of frames that do not fit into the heap; takes ten minutes."""
    rows = WIDE_ROWS if rows is None else rows
    Data(rows, 1).make()
    lines = []
    for name, (query, window) in WIDE.items():
        say(f"memory: {name}, {rows:,} rows of one key")
        spill, seconds = _measure("muntin", name, rows)
        clause = f"{query.title} {window.clause}"
        own = sum(spill.operator.values())
        lines.append([clause, _bytes(own), _bytes(spill.sort), f"{seconds:.0f} s"])
        say(f"  spilled in the window: {_bytes(own)}; {seconds:.0f} s")
    return [
        "",
        WIDE_TITLE,
        "",
        f"{rows:,} rows of one key, driver heap {HEAP}, one task, only Muntin, to the end.",
        "",
        *report.table(["", "spilled in the window", "in the sort", "time"], lines),
    ]


def _measure(name: str, job: str, rows: int) -> tuple[Spill, float]:
    with tempfile.TemporaryDirectory(prefix="muntin-memory-") as log:
        command = [sys.executable, "-m", "benchmarks.memory", name, job, str(rows), log]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        return _spill(Path(log)), float(done.stdout.split()[-1])


def logging_to(log: str) -> dict[str, str]:
    """Return the settings with which a session writes Spark's event log into a folder."""
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": Path(log).as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }


def events(log: Path) -> Iterator[dict[str, Any]]:
    """Return the events of the Spark event log in a folder."""
    for file in log.rglob("*"):
        if file.is_file() and not file.name.startswith("."):
            with file.open() as lines:
                for line in lines:
                    yield json.loads(line)


def _spill(log: Path) -> Spill:
    """Return sums over all tasks, and by operator by the ids of its metrics in the plan."""
    total = disk = 0
    by_metric: defaultdict[int, int] = defaultdict(int)
    sorts: set[int] = set()
    windows: dict[int, str] = {}
    for event in events(log):
        if "sparkPlanInfo" in event:
            for node in _nodes(event["sparkPlanInfo"]):
                for metric in node["metrics"]:
                    if "spill" in metric["name"].lower():
                        if node["nodeName"] in ("Sort", "MuntinSort"):
                            sorts.add(metric["accumulatorId"])
                        elif "Window" in node["nodeName"] or "Muntin" in node["nodeName"]:
                            windows[metric["accumulatorId"]] = metric["name"]
        elif event["Event"] == "SparkListenerTaskEnd":
            total += event["Task Metrics"]["Memory Bytes Spilled"]
            disk += event["Task Metrics"]["Disk Bytes Spilled"]
            for update in event["Task Info"]["Accumulables"]:
                if update["ID"] in sorts or update["ID"] in windows:
                    by_metric[update["ID"]] += int(update["Update"])
    return Spill(
        total,
        sum(by_metric[i] for i in sorts),
        disk,
        {name: by_metric[i] for i, name in windows.items() if i in by_metric},
    )


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan["children"]:
        yield from _nodes(child)


def _bytes(n: int) -> str:
    return f"{n / 2**20:,.0f} MiB"


def run(name: str, what: str, rows: int, log: str) -> None:
    """Run the job in this process and print the seconds."""
    spark = session(HEAP, **{"spark.sql.shuffle.partitions": "1"}, **logging_to(log))
    query, window = WIDE.get(what, (BASIC, FRAME))
    job = Job(Data(rows, 1), query, window)
    contender = CONTENDERS[name](spark)
    if isinstance(contender, Muntin):
        contender.require(job)
    frame = contender.frame(job)
    if name == "stock":
        frame = frame.limit(1)
    seconds = seconds_of(frame)
    spark.stop()
    print(seconds)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
