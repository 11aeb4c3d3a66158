"""Rolling functions over one long series: the questions of db-benchmark's task rollfun.

The task has windows of a thousandth of the rows (w), and of 0.1 w and 10 w, over a series
without keys: https://github.com/duckdblabs/db-benchmark. Its question with weights is omitted,
since DuckDB's part omits it. In two further questions, the width of a window is a column (`n`), as
in the adaptive windows of R's data.table.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from pandas.api.indexers import BaseIndexer  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from benchmarks import machine, report
from benchmarks.data import BUILD
from benchmarks.session import ADAPTIVE, CORES, session

TITLE = "## Rolling functions of one series (db-benchmark's rollfun)"
ROWS = (1_000_000, 10_000_000)
FEW = 20_000
NAMES = ("Muntin", "DuckDB", "Polars", "pandas")
# A contender that takes longer than this in one round does not run again, and not at all if ten
# times as many rows with ten times as wide windows would take longer.
LONG = 60.0
FURTHER = 20.0

Frame = Any


@dataclass(frozen=True)
class Question:
    """One question: in SQL, in Polars and in pandas; `w` rows, or steps of the index, each."""

    title: str
    sql: str
    polars: Callable[[int], list[pl.Expr]] | None
    pandas: Callable[[Frame, int], list[Any]] | None


def _rows(function: str, column: str = "v1", more: int = 0) -> str:
    width = f"{{w{more:+d}}}" if more else "{w}"
    return f"{function}({column}) OVER (ORDER BY id1 ROWS {width} PRECEDING)"


class _Widths(BaseIndexer):  # type: ignore[misc]
    """The current row and the n rows before it, with an n for each row."""

    def get_window_bounds(
        self,
        num_values: int = 0,
        min_periods: int | None = None,  # noqa: ARG002
        center: bool | None = None,  # noqa: ARG002
        closed: str | None = None,  # noqa: ARG002
        step: int | None = None,  # noqa: ARG002
    ) -> tuple[np.ndarray, np.ndarray]:
        row = np.arange(num_values)
        return np.maximum(0, row - self.before), row + 1


def _adaptive(title: str, function: str) -> Question:
    def of_pandas(x: Frame, _: int) -> list[Any]:
        return [x["v1"].rolling(_Widths(before=x["n"].to_numpy()), min_periods=1).mean()]

    return Question(
        f"{title}, width by row",
        f"{function}(v1) OVER (ORDER BY id1 ROWS BETWEEN n PRECEDING AND CURRENT ROW) AS r",
        # In Polars widths must be literals; pandas' max is wrong if windows move back.
        None,
        of_pandas if function == "avg" else None,
    )


def _by(index: str) -> Question:
    steps = {"id2": "uneven, dense", "id3": "uneven, sparse"}[index]

    def of_pandas(x: Frame, w: int) -> list[Any]:
        # pandas supports such windows along times only: a step of the index is a second.
        timed = x.set_index(pd.to_timedelta(x[index], unit="s"))
        return [timed["v1"].rolling(f"{w}s").mean()]

    return Question(
        f"mean, {steps}",
        f"avg(v1) OVER (ORDER BY {index} RANGE BETWEEN {{w}} PRECEDING AND CURRENT ROW) AS r",
        lambda w: [pl.col("v1").rolling_mean_by(index, f"{w}i").alias("r")],
        of_pandas,
    )


def _mean(title: str, by: float) -> Question:
    def width(w: int) -> int:
        return max(1, round(w * by))

    return Question(
        title,
        f"avg(v1) OVER (ORDER BY id1 ROWS {{x{by}}} PRECEDING) AS r",
        lambda w: [pl.col("v1").rolling_mean(width(w), min_samples=1).alias("r")],
        lambda x, w: [x["v1"].rolling(width(w), min_periods=1).mean()],
    )


QUESTIONS = (
    _mean("mean", 1.0),
    _mean("mean, small window", 0.1),
    _mean("mean, big window", 10.0),
    Question(
        "min",
        f"{_rows('min')} AS r",
        lambda w: [pl.col("v1").rolling_min(w, min_samples=1).alias("r")],
        lambda x, w: [x["v1"].rolling(w, min_periods=1).min()],
    ),
    Question(
        "median",
        f"{_rows('median')} AS r",
        lambda w: [pl.col("v1").rolling_median(w, min_samples=1).alias("r")],
        lambda x, w: [x["v1"].rolling(w, min_periods=1).median()],
    ),
    Question(
        "two means of two windows",
        f"{_rows('avg', 'v1', -5)} AS r, {_rows('avg', 'v1', 5)} AS s, "
        f"{_rows('avg', 'v2', -5)} AS t, {_rows('avg', 'v2', 5)} AS u",
        lambda w: [
            pl.col(c).rolling_mean(w + more, min_samples=1).alias(name)
            for name, c, more in (("r", "v1", -5), ("s", "v1", 5), ("t", "v2", -5), ("u", "v2", 5))
        ],
        lambda x, w: [
            x[c].rolling(w + more, min_periods=1).mean()
            for c, more in (("v1", -5), ("v1", 5), ("v2", -5), ("v2", 5))
        ],
    ),
    _by("id2"),
    _by("id3"),
    Question(
        "regression, r²",
        "regr_r2(v2, v1) OVER (ORDER BY id1 ROWS {w} PRECEDING) AS r",
        lambda w: [
            pl.rolling_corr("v1", "v2", window_size=w, min_samples=2).pow(2).alias("r"),
        ],
        lambda x, w: [x["v1"].rolling(w, min_periods=2).corr(x["v2"]) ** 2],
    ),
    _adaptive("mean", "avg"),
    _adaptive("max", "max"),
)


def _sql(question: Question, w: int, source: str) -> str:
    # n PRECEDING and the current row are n + 1 rows.
    made = question.sql
    for by in (1.0, 0.1, 10.0):
        made = made.replace(f"{{x{by}}}", str(max(1, round(w * by)) - 1))
    for more in (-5, 5):
        made = made.replace(f"{{w{more:+d}}}", str(w + more - 1))
    return f"SELECT id1, {made.replace('{w}', str(w - 1))} FROM {source}"


def _data(rows: int) -> Path:
    path = BUILD / f"rollfun-widths-{rows}.parquet"
    if not path.exists():
        random = np.random.default_rng(108)
        path.parent.mkdir(parents=True, exist_ok=True)
        table = {
            "id1": np.arange(1, rows + 1),
            "id2": np.sort(random.choice(rows * 11 // 10, rows, replace=False)) + 1,
            "id3": np.sort(random.choice(rows * 2, rows, replace=False)) + 1,
            "v1": 100.0 + np.cumsum(random.normal(0, 0.5, rows)),
            "v2": 100.0 + np.cumsum(random.normal(0, 0.1, rows)),
            "n": random.integers(rows // 2000, 3 * rows // 2000, rows),
        }
        pq.write_table(pa.table(table), path, row_group_size=max(1, rows // 8))
    return path


class _Contenders:
    """All contenders over one file; a run returns the sum of the results, if it is requested."""

    def __init__(self, spark: SparkSession, rows: int) -> None:
        self.rows, self.path = rows, _data(rows)
        self.spark = spark
        self.duckdb = duckdb.connect(config={"threads": CORES})
        spark.read.parquet(str(self.path)).createOrReplaceTempView("rollfun")

    def runs(self, question: Question) -> dict[str, Callable[[Question, bool], list[float]]]:
        everyone = {
            "Muntin": self.of_muntin,
            "DuckDB": self.of_duckdb,
            "Polars": self.of_polars,
            "pandas": self.of_pandas,
        }
        missing = {
            name
            for name, asked in (("Polars", question.polars), ("pandas", question.pandas))
            if asked is None
        }
        return {name: run for name, run in everyone.items() if name not in missing}

    def of_muntin(self, question: Question, sums: bool) -> list[float]:
        frame = self.spark.sql(_sql(question, self.rows // 1000, "rollfun"))
        if sums:
            return [float(s) for s in frame.groupBy().sum(*frame.columns[1:]).first() or ()]
        frame.write.format("noop").mode("overwrite").save()
        return []

    def of_duckdb(self, question: Question, sums: bool) -> list[float]:
        asked = _sql(question, self.rows // 1000, f"read_parquet('{self.path}')")
        self.duckdb.execute(f"CREATE OR REPLACE TEMP TABLE result AS {asked}")
        if not sums:
            return []
        columns = self.duckdb.execute("DESCRIBE result").fetchall()[1:]
        row = self.duckdb.execute(
            f"SELECT {', '.join(f'sum({c[0]})' for c in columns)} FROM result"
        ).fetchone()
        return [float(s) for s in row or ()]

    def of_polars(self, question: Question, sums: bool) -> list[float]:
        assert question.polars is not None
        made = pl.scan_parquet(self.path).select("id1", *question.polars(self.rows // 1000))
        frame = made.collect()
        if not sums:
            return []
        return [float(frame[c].fill_nan(None).sum()) for c in frame.columns[1:]]

    def of_pandas(self, question: Question, sums: bool) -> list[float]:
        assert question.pandas is not None
        frame = pd.read_parquet(self.path)
        found = question.pandas(frame, self.rows // 1000)
        return [float(s.sum()) for s in found] if sums else []


def chapter(rows: int | None, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Time every question in every engine; compare their sums over few rows."""
    spark = session(**{ADAPTIVE: "true"})
    few = _Contenders(spark, FEW)
    agree = all(_agree(question, few) for question in QUESTIONS)
    lines = []
    before: dict[str, dict[str, float]] = {}
    for size in (rows,) if rows else ROWS:
        contenders = _Contenders(spark, size)
        for question in QUESTIONS:
            best: dict[str, float] = {}
            few_rows = before.get(question.title, {})
            for _ in range(rounds):
                for name, run in contenders.runs(question).items():
                    expected = FURTHER * few_rows.get(name, 0.0)
                    if max(best.get(name, 0.0), expected) < LONG:
                        began = time.perf_counter()
                        run(question, False)
                        seconds = time.perf_counter() - began
                        best[name] = min(best.get(name, math.inf), seconds)
            before[question.title] = best
            shown = [f"{best[n]:.2f}" if n in best else "" for n in NAMES]
            lines.append([f"{size:,}", question.title, *shown])
            say(" ".join(lines[-1]))
    spark.stop()
    return [
        "",
        TITLE,
        "",
        f"One series in the order of its index, without keys: windows of a thousandth of the rows, "
        f"and of a tenth and ten times of that. From Parquet, on {CORES} cores, best of {rounds}, "
        "in seconds. Spark's sink is noop; the others return results to memory. An empty cell: the "
        "function does not exist, or would take more than a minute. All return equal sums over "
        f"{FEW:,} rows: {'yes' if agree else '**no**'}. {machine.when()}.",
        "",
        *report.table(["rows", "", *NAMES], lines),
    ]


def _agree(question: Question, few: _Contenders) -> bool:
    sums = [run(question, True) for run in few.runs(question).values()]
    return all(
        len(s) == len(sums[0])
        and all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(s, sums[0], strict=True))
        for s in sums
    )
