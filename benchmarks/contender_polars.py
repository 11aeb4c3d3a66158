"""Polars, from Parquet to a frame in memory. POLARS_MAX_THREADS is set before this is imported."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]

from benchmarks.contender import Contender
from benchmarks.data import SECONDS_PER_KEY
from benchmarks.query import BASIC, HOLISTIC, MOMENTS, POSITIONS, SPARKS, Frame, Job

V = pl.col("v")
PRESENT = V.is_not_null().cast(pl.Int64)


class Polars(Contender):
    """Polars, with rolling expressions over the sorted rows of each key."""

    name = "Polars"

    def refuses(self, job: Job) -> str | None:
        if job.query in (HOLISTIC, *SPARKS):
            return "has no such rolling functions"
        if type(job.frame) is not Frame:
            return "has no such windows"
        if job.frame.unit != "ROWS" and job.frame.side != "preceding":
            return "its rolling_*_by only look back"
        if job.query != BASIC and (job.frame.unit != "ROWS" or job.frame.side != "preceding"):
            return "not written"
        return None

    def run(self, job: Job) -> None:
        self._compute(job)

    def rows(self, job: Job) -> pa.Table:
        return self._compute(job).to_arrow()

    def _compute(self, job: Job) -> pl.DataFrame:
        rows = pl.scan_parquet(job.data.files).select(*job.selected)
        if job.only_keys_below is not None:
            rows = rows.filter(pl.col("k") < job.only_keys_below)
        columns = [e.over("k").alias(name) for name, e in _expressions(job).items()]
        return rows.sort("k", job.frame.order).with_columns(columns).collect()


def _expressions(job: Job) -> dict[str, pl.Expr]:
    frame = job.frame
    assert isinstance(frame, Frame)
    if job.query == POSITIONS:
        return _positions(frame.reach)
    if job.query == MOMENTS:
        return _moments(frame.reach + 1)
    if frame.unit != "ROWS":
        return _by_key(frame)
    if frame.side == "centred":
        return _by_rows(V, PRESENT, 2 * frame.reach + 1, center=True)
    if frame.side == "following":
        backwards = _by_rows(V.reverse(), PRESENT.reverse(), frame.reach + 1)
        return {name: e.reverse() for name, e in backwards.items()}
    return _by_rows(V, PRESENT, frame.reach + 1)


def _by_rows(v: pl.Expr, present: pl.Expr, size: int, center: bool = False) -> dict[str, pl.Expr]:
    window: dict[str, Any] = {"window_size": size, "min_samples": 1, "center": center}
    return {
        "sum_v": v.rolling_sum(**window),
        "avg_v": v.rolling_mean(**window),
        "min_v": v.rolling_min(**window),
        "max_v": v.rolling_max(**window),
        "count_v": present.rolling_sum(**window),
    }


def _by_key(frame: Frame) -> dict[str, pl.Expr]:
    size = f"{frame.reach * SECONDS_PER_KEY}s" if frame.order == "ts" else f"{frame.reach}i"
    window: dict[str, Any] = {"by": frame.order, "window_size": size, "closed": "both"}
    return {
        "sum_v": V.rolling_sum_by(**window),
        "avg_v": V.rolling_mean_by(**window),
        "min_v": V.rolling_min_by(**window),
        "max_v": V.rolling_max_by(**window),
        "count_v": PRESENT.rolling_sum_by(**window),
    }


def _moments(size: int) -> dict[str, pl.Expr]:
    window: dict[str, Any] = {"window_size": size, "min_samples": 2}
    return {
        "var_v": V.rolling_var(**window),
        "stddev_v": V.rolling_std(**window),
        "corr_vw": pl.rolling_corr("v", "w", **window),
    }


def _positions(reach: int) -> dict[str, pl.Expr]:
    # The frame begins `reach` rows before the row, or with the key if the key begins later.
    row = pl.int_range(pl.len())
    second = pl.when(row >= reach).then(V.shift(reach - 1))
    return {
        "first_v": V.shift(reach).fill_null(V.first()),
        "last_v": V,
        "nth_v": second.when(row > 0).then(V.get(1, null_on_oob=True)),
    }
