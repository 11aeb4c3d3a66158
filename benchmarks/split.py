"""One key with all rows: the gain of a split over the cores."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks import report, split_groups
from benchmarks.contender_spark import MUNTIN, Floor, Muntin, SegmentTree, Spark
from benchmarks.data import Data
from benchmarks.query import BASIC, MOMENTS, Frame, Job
from benchmarks.session import ADAPTIVE, CORES, session
from benchmarks.split_groups import SPLIT

ROWS = 4_000_000
ROUNDS = 6
FLOOR_ROUNDS = 2
BAR = 1.7
TITLE = "## One large key"


class OneTask(Muntin):
    """Muntin, with all rows of a key in one task."""

    name = "Muntin, one task"
    settings = {MUNTIN: "true", SPLIT: "false"}  # noqa: RUF012


class Split(Muntin):
    """Muntin, with a large key split over several tasks."""

    name = "Muntin, split"
    settings = {MUNTIN: "true", SPLIT: "true"}  # noqa: RUF012


def _is_asked(rival: Spark, job: Job) -> bool:
    """Return whether a segment tree runs a job: wide frames only, and no moments."""
    narrow = job.frame.width <= Spark.widest
    return narrow or (type(rival) is SegmentTree and job.query is not MOMENTS)


def chapter(rows: int | None, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    data = Data(ROWS if rows is None else rows, 1)
    data.make()
    spark = session(**{ADAPTIVE: "true"})
    split, unsplit, floor = Split(spark), OneTask(spark), Floor(spark)
    rivals: list[Spark] = [SegmentTree(spark), Spark(spark)]
    jobs = [
        Job(data, BASIC, Frame("ROWS", "preceding", width=10)),
        Job(data, BASIC, Frame("ROWS", "preceding", width=1_000)),
        Job(data, BASIC, Frame("ROWS", "centred", width=1_000)),
        Job(data, BASIC, Frame("RANGE of time", "preceding", width=1_000)),
        Job(data, MOMENTS, Frame("ROWS", "preceding", width=1_000)),
    ]
    lines = []
    for job in jobs:
        name = f"{job.query.title}, {job.frame}, {job.frame.width:,} rows"
        say(f"split: {name}")
        best: dict[str, float] = {}
        for round_ in range(ROUNDS):
            others = [r for r in rivals if round_ == 0 and _is_asked(r, job)]
            floors = [floor] if round_ < FLOOR_ROUNDS else []
            for contender in (*floors, unsplit, split, *others):
                began = time.perf_counter()
                contender.run(job)
                taken = time.perf_counter() - began
                best[contender.name] = min(taken, best.get(contender.name, taken))
                say(f"  {contender.name}: {taken:.2f} s")
        gain = best[unsplit.name] / best[split.name]
        lines.append(
            [
                name,
                *(f"{best[c.name]:.2f}" if c.name in best else "" for c in (split, unsplit, floor)),
                *(f"{best[r.name]:.1f}" if r.name in best else "" for r in rivals),
                f"{gain:.2f}{'' if gain >= BAR else ' !'}",
            ]
        )
    groups = split_groups.lines(spark, data.rows, ROUNDS, say)
    spark.stop()
    names = [split.name, unsplit.name, floor.name, *(r.name for r in rivals)]
    return [
        "",
        TITLE,
        "",
        f"{data.rows:,} rows of one key in random order, on {CORES} cores, with adaptive "
        "execution: seconds, and the gain of the split (! if it is below "
        f"{BAR}). Best of {ROUNDS} rounds; {FLOOR_ROUNDS} for the floor, one for stock Spark.",
        "",
        *report.table(["", *names, "gain"], lines),
        *groups,
    ]
