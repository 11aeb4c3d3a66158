"""Checks that all contenders compute equal rows, before they are timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from benchmarks.contender import Contender
from benchmarks.data import Data
from benchmarks.grid import Series
from benchmarks.query import Job

ROWS = 20_000
KEYS = 10
WIDTHS = (10, 1_000)

# Polars and DuckDB subtract or merge doubles; this check looks for wrong frames.
TOLERANCE = 1e-6


def check(series: Sequence[Series], contenders: Sequence[Contender]) -> Iterator[str]:
    """Run each kind of job on a few rows with each contender; yield differences from the first."""
    data = Data(ROWS, KEYS)
    data.make()
    seen = set()
    for kind in series:
        for width in WIDTHS:
            job = replace(kind, data=data).job(width)
            if job in seen:
                continue
            seen.add(job)
            if contenders[0].refuses(job) is not None:
                continue
            expected = _sorted(contenders[0].rows(job), job)
            for other in contenders[1:]:
                if other.refuses(job) is None:
                    wrong = _differences(expected, _sorted(other.rows(job), job))
                    if wrong:
                        frame = f"{job.query.title}, {job.frame}, width {width:,}"
                        yield f"{other.name} differs from {contenders[0].name}: {frame}: {wrong}"


def _sorted(table: pa.Table, job: Job) -> dict[str, np.ndarray]:
    table = table.sort_by([("k", "ascending"), (job.frame.order, "ascending")])
    compared = (n for n in job.query.aggregates if n not in job.query.tied)
    names = [*job.query.columns, *compared]
    values = {n: table[n].to_numpy().astype(np.float64) for n in names}
    return {"k": table["k"].to_numpy(), **values}


def _differences(expected: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> str:
    if len(expected["k"]) != len(found["k"]):
        return f"{len(found['k']):,} rows instead of {len(expected['k']):,}"
    wrong = [
        n
        for n in expected
        if not np.allclose(found[n], expected[n], rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    ]
    return ", ".join(wrong)
