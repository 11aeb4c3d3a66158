"""Compares two results of one query, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

TOLERANCE = 1e-9


def compare(left: DataFrame, right: DataFrame, key: Sequence[str], floating: Sequence[str]) -> str:
    """Compare two results by the columns that identify their rows.

    Parameters
    ----------
    left, right
        Results with the same columns.
    key
        Columns without nulls that identify the rows of each result.
    floating
        Columns that may differ by `TOLERANCE`, relative; the others must be equal.

    Returns
    -------
    str
        "yes" with the rule of the comparison, or "NO" with the difference.
    """
    values = [c for c in left.columns if c not in key]
    joined = _side(left, "left", key, values).join(
        _side(right, "right", key, values), list(key), "full_outer"
    )
    equal = reduce(and_, (_same(c, c in floating) for c in values))
    matched = F.col("in_left").isNotNull() & F.col("in_right").isNotNull()
    found = joined.agg(
        F.count("*").alias("pairs"),
        F.count_if(~matched).alias("alone"),
        F.count_if(matched & ~equal).alias("unequal"),
    ).collect()[0]
    if left.count() != found.pairs or right.count() != found.pairs or found.alone or found.unequal:
        return f"NO: {found.unequal:,} rows differ, {found.alone:,} in one result only"
    return "yes, to 1e-9" if floating else "yes, exactly"


def _side(frame: DataFrame, side: str, key: Sequence[str], values: Sequence[str]) -> DataFrame:
    renamed = (F.col(c).alias(f"{c}_{side}") for c in values)
    return frame.select(*key, *renamed, F.lit(True).alias(f"in_{side}"))


def _same(name: str, floating: bool) -> Column:
    left, right = F.col(f"{name}_left"), F.col(f"{name}_right")
    equal = left.eqNullSafe(right)
    if not floating:
        return equal
    bound = F.lit(TOLERANCE) * F.greatest(F.abs(left), F.abs(right))
    return equal | F.coalesce(F.abs(left - right) <= bound, F.lit(False))
