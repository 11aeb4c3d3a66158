"""What the demo asks: a query, and what is needed to compare two results of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Question:
    """A query, and what is needed to compare two results of it.

    Parameters
    ----------
    name
        The directory of its results.
    title
        What the table calls it.
    query
        The query, over the views `weather`, `flights` (cancelled ones, too) and `departures`.
    key
        The columns that tell its rows apart.
    floating
        The columns in which stock Spark adds floating numbers, where the order of addition shows in
        the last digits: compared to 1e-9 relative. Every other column must be equal.
    stock
        Whether stock Spark runs it too.
    stock_query
        What stock Spark is asked instead, where it refuses the query.
    """

    name: str
    title: str
    query: Callable[[SparkSession], DataFrame]
    key: tuple[str, ...]
    floating: tuple[str, ...] = ()
    stock: bool = True
    stock_query: Callable[[SparkSession], DataFrame] | None = None
