"""The equivalents of windows of groups in Polars. POLARS_MAX_THREADS is set before import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import polars as pl

from benchmarks.groups.question import Table

Strategy = Literal["backward", "forward", "nearest"]


def asof(strategy: Strategy) -> Callable[[dict[str, Table]], pl.DataFrame]:
    """Find for each row of `l` the previous, next or nearest row of `r`."""

    def joined(tables: dict[str, Table]) -> pl.DataFrame:
        right = pl.scan_parquet(tables["r"].files).select("k", "t", "v").sort("t")
        left = pl.scan_parquet(tables["l"].files).sort("t")
        found = left.join_asof(right, on="t", by="k", strategy=strategy, check_sortedness=False)
        return found.select("id", "t", "v").collect()

    return joined


def around(tables: dict[str, Table]) -> pl.DataFrame:
    """Compute count, sum and mean of the rows from `lo` to `hi` by running sums at both ends.

    A maximum cannot be computed this way.
    """
    v = pl.col("v")
    running = (
        pl.scan_parquet(tables["r"].files)
        .select("k", "t", "v")
        .sort("t")
        .select(
            "k",
            "t",
            n=v.is_not_null().cast(pl.Int64).cum_sum().over("k"),
            s=v.cum_sum().over("k"),
        )
    )
    anchors = pl.scan_parquet(tables["a"].files)
    until = anchors.sort("hi").join_asof(
        running, left_on="hi", right_on="t", by="k", check_sortedness=False
    )
    both = until.sort("lo").join_asof(
        running,
        left_on="lo",
        right_on="t",
        by="k",
        suffix="_before",
        allow_exact_matches=False,
        check_sortedness=False,
    )
    n = pl.col("n").fill_null(0) - pl.col("n_before").fill_null(0)
    s = pl.col("s").fill_null(0.0) - pl.col("s_before").fill_null(0.0)
    return both.select("id", n=n, s=s, a=s / n).collect()
