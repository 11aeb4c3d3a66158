"""Times the contenders in rounds, so that noise of the machine affects all of them equally."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from benchmarks.contender import Contender
from benchmarks.grid import Series
from benchmarks.query import BASIC, Job, Ordered


@dataclass
class Timing:
    """The seconds of a contender's runs of a job, or the reason why it did not run."""

    share: int = 1
    skipped: str = ""
    seconds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float | None:
        return min(self.seconds, default=None)


@dataclass(frozen=True)
class Patience:
    """The maximum number of repetitions of a job.

    Muntin and the floor run in every round until a limit is clearly reached: after `least` rounds,
    if the best time is below `clear` of the limit. The others run in `rival_rounds`, and again only
    if they are not `clear_rival` times as slow as Muntin.
    """

    rounds: int = 5
    least: int = 2
    clear: float = 0.93
    rival_rounds: int = 2
    clear_rival: float = 1.25


@dataclass(frozen=True)
class Key:
    """The key of a timing."""

    contender: str
    job: Job


def base_job(series: Series, width: int) -> Job:
    """Return the job that identifies a base.

    All jobs that read the same columns in one order share the floor. All frames of a query share
    the cost of whole partitions.
    """
    job = series.job(width)
    if series.base != "floor":
        return Job(job.data, job.query, Ordered("t"))
    query = BASIC if job.query.columns == BASIC.columns else job.query
    return Job(job.data, query, Ordered(job.frame.order, job.frame.reads))


def measure(
    series: Sequence[Series],
    bases: Mapping[str, Contender],
    muntin: Contender | None,
    rivals: Sequence[Contender],
    patience: Patience,
    say: Callable[[str], None],
) -> dict[Key, Timing]:
    """Time all jobs; jobs over the same rows in the same order alternate with their base."""
    timings: dict[Key, Timing] = {}
    ordered = sorted(series, key=_group)
    for name, group in groupby(ordered, key=_group):
        jobs = [(s, w) for s in group for w in s.widths]
        say(f"{name}: {len(jobs)} jobs")
        for number in range(patience.rounds):
            _round(number, jobs, bases, muntin, rivals, patience, timings, say)
    return timings


def _group(series: Series) -> str:
    job = base_job(series, 1)
    columns = " ".join([*job.query.columns, *job.frame.reads])
    return f"{job.data.keys:,} keys, ORDER BY {job.frame.order}, {columns}, {series.base}"


def _round(
    number: int,
    jobs: Iterable[tuple[Series, int]],
    bases: Mapping[str, Contender],
    muntin: Contender | None,
    rivals: Sequence[Contender],
    patience: Patience,
    timings: dict[Key, Timing],
    say: Callable[[str], None],
) -> None:
    bases_run = set()
    for series, width in jobs:
        if number >= series.rounds:
            continue
        job = series.job(width)
        base = Key(series.base, base_job(series, width))
        if number >= patience.least and muntin is not None:
            ours, theirs = timings[Key(muntin.name, job)].best, timings[base].best
            if ours and theirs and ours <= patience.clear * series.bar * theirs:
                continue
        if base not in bases_run:
            bases_run.add(base)
            _time(bases[base.contender], base.job, timings, number, say)
        if muntin is not None:
            _time(muntin, job, timings, number, say)
        for rival in rivals if width in series.rivals else ():
            if number < patience.rival_rounds and not _is_slower(
                rival, muntin, job, timings, patience
            ):
                _time(rival, job, timings, number, say)


def _is_slower(
    rival: Contender,
    muntin: Contender | None,
    job: Job,
    timings: dict[Key, Timing],
    patience: Patience,
) -> bool:
    theirs = timings.get(Key(rival.name, job), Timing()).best
    ours = None if muntin is None else timings[Key(muntin.name, job)].best
    return bool(theirs and ours and theirs > patience.clear_rival * ours)


def _time(
    contender: Contender,
    job: Job,
    timings: dict[Key, Timing],
    number: int,
    say: Callable[[str], None],
) -> None:
    plan = contender.plan(job)
    timing = timings.setdefault(Key(contender.name, job), Timing(plan.share, plan.skipped))
    if timing.skipped or (timing.seconds and timing.share > 1):
        return
    began = time.perf_counter()
    contender.run(plan.job)
    seconds = time.perf_counter() - began
    contender.release()
    timing.seconds.append(seconds)
    what = f"{job.query.title}, {job.frame}, width {job.frame.width:,}"
    sampled = f" (one key in {timing.share})" if timing.share > 1 else ""
    say(f"  round {number + 1}  {contender.name:<20}{seconds:7.2f} s  {what}{sampled}")
