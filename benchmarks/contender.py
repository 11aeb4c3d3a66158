"""Who runs a job."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]

from benchmarks.query import Job

SAMPLE = 10


@dataclass(frozen=True)
class Plan:
    """What a contender runs of a job: all of it, one key in `share`, or nothing, for a reason."""

    job: Job
    share: int = 1
    skipped: str = ""


class Contender(ABC):
    """One way to run a job.

    A frame wider than `widest` rows is computed once, for a tenth of the keys; one wider than
    `widest_sampled` is left out.
    """

    name: str
    widest: float = float("inf")
    widest_sampled: float = float("inf")

    @abstractmethod
    def run(self, job: Job) -> None:
        """Compute every row of the job, from Parquet: this is what is timed."""

    @abstractmethod
    def rows(self, job: Job) -> pa.Table:
        """The job's rows, to be compared with those of the others."""

    def refuses(self, job: Job) -> str | None:  # noqa: ARG002
        """Why it cannot run such a job."""
        return None

    def plan(self, job: Job) -> Plan:
        """What it runs of a job."""
        if reason := self.refuses(job):
            return Plan(job, skipped=reason)
        if job.frame.width <= self.widest:
            return Plan(job)
        if job.frame.width > self.widest_sampled or job.data.keys < SAMPLE:
            return Plan(job, skipped="takes minutes")
        return Plan(job.sample(SAMPLE), share=SAMPLE)

    def release(self) -> None:
        """Let go of the last result."""
        return
