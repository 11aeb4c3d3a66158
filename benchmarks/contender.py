"""The engines that run a job."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]

from benchmarks.query import Job

SAMPLE = 10


@dataclass(frozen=True)
class Plan:
    """The part of a job that a contender runs: all, one key in `share`, or none, for a reason."""

    job: Job
    share: int = 1
    skipped: str = ""


class Contender(ABC):
    """One way to run a job.

    A frame wider than `widest` rows is computed once, for a tenth of the keys. A frame wider than
    `widest_sampled` is skipped.
    """

    name: str
    widest: float = float("inf")
    widest_sampled: float = float("inf")

    @abstractmethod
    def run(self, job: Job) -> None:
        """Compute every row of the job, from Parquet. The benchmark times this call."""

    @abstractmethod
    def rows(self, job: Job) -> pa.Table:
        """Return the job's rows, to compare them with the other contenders' rows."""

    def refuses(self, job: Job) -> str | None:  # noqa: ARG002
        """Return the reason why the contender cannot run such a job."""
        return None

    def plan(self, job: Job) -> Plan:
        """Return the part of a job that the contender runs."""
        if reason := self.refuses(job):
            return Plan(job, skipped=reason)
        if job.frame.width <= self.widest:
            return Plan(job)
        if job.frame.width > self.widest_sampled or job.data.keys < SAMPLE:
            return Plan(job, skipped="takes minutes")
        return Plan(job.sample(SAMPLE), share=SAMPLE)

    def release(self) -> None:
        """Release the last result."""
        return
