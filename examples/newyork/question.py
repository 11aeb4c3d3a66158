"""A question of the demo: a query, and the columns for the comparison of two results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Question:
    """A query, and the columns for the comparison of two results.

    Parameters
    ----------
    name
        The directory of its results.
    title
        Its title in the table.
    query
        The query, over the views `weather`, `flights` (cancelled ones, too) and `departures`.
    key
        The columns that identify its rows.
    floating
        The columns in which stock Spark adds floating-point numbers: the order of additions affects
        the last digits. The relative tolerance is 1e-9. Every other column must be equal.
    stock
        Whether stock Spark also runs it.
    stock_query
        The query for stock Spark, if it rejects `query`.
    """

    name: str
    title: str
    query: Callable[[SparkSession], DataFrame]
    key: tuple[str, ...]
    floating: tuple[str, ...] = ()
    stock: bool = True
    stock_query: Callable[[SparkSession], DataFrame] | None = None
