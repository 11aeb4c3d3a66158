"""A question about windows of groups, and its contenders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

BASIC = "count(v) AS n, sum(v) AS s, avg(v) AS a, max(v) AS m"


class Table(Protocol):
    """A table that is generated once."""

    @property
    def path(self) -> Path: ...

    @property
    def files(self) -> str: ...

    def make(self) -> None: ...


@dataclass(frozen=True)
class Limit:
    """The required ratio of Muntin's time to a rival's time."""

    over: str
    most: float


@dataclass(frozen=True)
class Rival:
    """An alternative: SQL for Spark or DuckDB, or Polars; for one key (anchor) in `share`."""

    name: str
    asked: str | Callable[[dict[str, Table]], object]
    engine: str = "spark"
    share: int = 1


@dataclass(frozen=True)
class Question:
    """One Muntin query, its rivals, and the maximum number of runs."""

    title: str
    tables: dict[str, Table]
    muntin: str | Callable[[SparkSession], DataFrame]
    rivals: tuple[Rival, ...]
    limits: tuple[Limit, ...]
    note: str = ""
    rounds: int = 3
