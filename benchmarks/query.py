"""What is measured: a set of aggregates over a frame of some rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from benchmarks.data import KEYS_PER_ROW, SECONDS_PER_KEY, Data

Unit = Literal["ROWS", "RANGE", "RANGE of time"]
Side = Literal["preceding", "centred", "following"]


@dataclass(frozen=True)
class Frame:
    """A frame of about `width` rows, the current one among them."""

    unit: Unit
    side: Side
    width: int

    def __str__(self) -> str:
        return f"{self.unit} {self.side}"

    @property
    def order(self) -> str:
        """The ORDER BY column."""
        return "ts" if self.unit == "RANGE of time" else "t"

    @property
    def reach(self) -> int:
        """How many rows, or units of t, lie between the current row and the frame's far ends."""
        rows = self.width // 2 if self.side == "centred" else self.width - 1
        return rows if self.unit == "ROWS" else rows * KEYS_PER_ROW

    @property
    def sql(self) -> str:
        """The frame clause."""
        offset = f"{self.reach}"
        if self.unit == "RANGE of time":
            offset = f"INTERVAL {self.reach * SECONDS_PER_KEY} SECONDS"
        start = "CURRENT ROW" if self.side == "following" else f"{offset} PRECEDING"
        end = "CURRENT ROW" if self.side == "preceding" else f"{offset} FOLLOWING"
        return f"{self.unit.split()[0]} BETWEEN {start} AND {end}"


@dataclass(frozen=True, eq=False)
class Query:
    """Aggregates, by the names of their columns, and the columns that they read."""

    title: str
    aggregates: dict[str, str]
    columns: tuple[str, ...]


BASIC = Query(
    "sum + avg + min + max + count",
    {
        "sum_v": "sum(v)",
        "avg_v": "avg(v)",
        "min_v": "min(v)",
        "max_v": "max(v)",
        "count_v": "count(v)",
    },
    ("v",),
)
MOMENTS = Query(
    "var + stddev + corr",
    {"var_v": "var_samp(v)", "stddev_v": "stddev_samp(v)", "corr_vw": "corr(v, w)"},
    ("v", "w"),
)
POSITIONS = Query(
    "first + last + nth",
    {"first_v": "first_value(v)", "last_v": "last_value(v)", "nth_v": "nth_value(v, 2)"},
    ("v",),
)


@dataclass(frozen=True)
class Job:
    """One query over one frame of one set of rows: what a contender runs and is timed at."""

    data: Data
    query: Query
    frame: Frame
    only_keys_below: int | None = None

    @property
    def selected(self) -> tuple[str, ...]:
        """The input columns that are part of the result."""
        return ("k", self.frame.order, *self.query.columns)

    def sample(self, share: int) -> Job:
        """The same over one `share`-th of the keys."""
        return replace(self, only_keys_below=self.data.keys // share)

    def sql(self, table: str) -> str:
        """The job in the SQL that Spark and DuckDB have in common."""
        columns = [
            *self.selected,
            *(f"{a} OVER f AS {n}" for n, a in self.query.aggregates.items()),
        ]
        return (
            f"SELECT {', '.join(columns)} FROM {self._source(table)} "
            f"WINDOW f AS (PARTITION BY k ORDER BY {self.frame.order} {self.frame.sql})"
        )

    def floor_sql(self, table: str) -> str:
        """Shuffle, sort and project the same rows: row_number() over the same spec."""
        return (
            f"SELECT {', '.join(self.selected)}, row_number() OVER f AS n "
            f"FROM {self._source(table)} WINDOW f AS (PARTITION BY k ORDER BY {self.frame.order})"
        )

    def _source(self, table: str) -> str:
        if self.only_keys_below is None:
            return table
        return f"(SELECT * FROM {table} WHERE k < {self.only_keys_below})"
