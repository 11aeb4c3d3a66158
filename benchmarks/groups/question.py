"""What is asked of the windows of groups, and of whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

BASIC = "count(v) AS n, sum(v) AS s, avg(v) AS a, max(v) AS m"


class Table(Protocol):
    """Rows that are generated once."""

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
    """Another way: SQL for Spark or DuckDB, a call of Polars; of one key (anchor) in `share`."""

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
