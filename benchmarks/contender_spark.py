"""Spark, in four ways, in one session: from Parquet to the noop sink."""

from __future__ import annotations

import contextlib
import io
import sys

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

from benchmarks.contender import Contender, Plan
from benchmarks.query import Frame, Framed, Job
from benchmarks.session import ADAPTIVE

MUNTIN = "spark.muntin.over.enabled"
SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"


class Spark(Contender):
    """Spark with its defaults: it computes each frame from scratch, so time grows with width."""

    name = "stock Spark"
    widest: float = 100
    widest_sampled: float = 1_000
    settings: dict[str, str] = {}  # noqa: RUF012

    def __init__(self, spark: SparkSession, *, splits_one_key: bool = False) -> None:
        """Turn adaptive execution on, as by default, for one key if it may be split."""
        self._spark = spark
        self._splits_one_key = splits_one_key

    def sql(self, job: Job, view: str) -> str:
        """Return the query."""
        return job.stock_sql(view)

    def refuses(self, job: Job) -> str | None:
        return "has no such frames" if isinstance(job.frame, Framed) else None

    def plan(self, job: Job) -> Plan:
        if self.widest < float("inf") and job.frame.today("") is not None:
            share = job.frame.today_share
            return Plan(job.sample(share) if share > 1 else job, share)
        return super().plan(job)

    def frame(self, job: Job) -> DataFrame:
        """Return the DataFrame of the job."""
        for key, value in {MUNTIN: "false", SEGMENT_TREE: "false", **self.settings}.items():
            self._spark.conf.set(key, value)
        if self._splits_one_key:
            self._spark.conf.set(ADAPTIVE, "true" if job.data.keys == 1 else "false")
        view = f"rows_{job.data.rows}_{job.data.keys}"
        if not self._spark.catalog.tableExists(view):
            self._spark.read.parquet(str(job.data.path)).createOrReplaceTempView(view)
        return self._spark.sql(self.sql(job, view))

    def run(self, job: Job) -> None:
        self.frame(job).write.format("noop").mode("overwrite").save()

    def rows(self, job: Job) -> pa.Table:
        return self.frame(job).toArrow()


class Floor(Spark):
    """The shuffle, the sort and the projection: row_number() over the same spec."""

    name = "floor"
    widest = float("inf")

    def sql(self, job: Job, view: str) -> str:
        return job.floor_sql(view)


class WholePartition(Spark):
    """The same spec with each key as one frame: the cost of the aggregate and its sort."""

    name = "whole partition"
    widest = float("inf")

    def sql(self, job: Job, view: str) -> str:
        return job.whole_sql(view)


class SegmentTree(Spark):
    """Spark with its segment tree, which is off by default."""

    name = "Spark, segment tree"
    widest = float("inf")
    settings = {SEGMENT_TREE: "true"}  # noqa: RUF012

    def refuses(self, job: Job) -> str | None:
        return None if type(job.frame) is Frame else "not measured"


class Muntin(Spark):
    """Spark with Muntin."""

    name = "Muntin"
    widest = float("inf")
    settings = {MUNTIN: "true"}  # noqa: RUF012

    def sql(self, job: Job, view: str) -> str:
        return job.sql(view)

    def refuses(self, job: Job) -> str | None:  # noqa: ARG002
        return None

    def require(self, job: Job) -> None:
        """Raise an error if Spark's own operator would run, which takes hours for wide frames."""
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            self.frame(job).explain()
        if "Muntin" not in text.getvalue():
            sys.exit(
                f"Muntin is not in the plan; see `python -m muntin doctor`.\n{text.getvalue()}"
            )
