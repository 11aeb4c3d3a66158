"""What is measured: a set of aggregates over a frame of some rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
    """Aggregates, by the names of their columns, and the columns that they read.

    `stock` and `duckdb` are what stock Spark and DuckDB are asked instead, where they know another
    way to say it alone. Columns in `tied` are left out of the comparison of rows: several answers
    are right.
    """

    title: str
    aggregates: dict[str, str]
    columns: tuple[str, ...]
    stock: dict[str, str] = field(default_factory=dict)
    duckdb: dict[str, str] = field(default_factory=dict)
    tied: tuple[str, ...] = ()


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
# {over} is where an OVER goes that does not go to the end.
HOLISTIC = Query(
    "median + percentile + mode + count(distinct) + size(collect_set)",
    {
        "median_v": "median(v)",
        "p90_v": "percentile(v, 0.9)",
        "mode_d": "mode(d, true)",
        "distinct_d": "count(DISTINCT d)",
        "set_d": "size(collect_set(d) {over})",
    },
    ("v", "d"),
    stock={"median_v": "percentile(v, 0.5)", "distinct_d": "size(collect_set(d) {over})"},
    duckdb={
        "p90_v": "quantile_cont(v, 0.9)",
        "mode_d": "mode(d)",
        "set_d": "count(DISTINCT d)",
    },
    tied=("mode_d",),
)
SKETCH = Query(
    "histogram_numeric",
    {"histogram_v": "size(histogram_numeric(v, 8) {over})"},
    ("v",),
)
USERS = Query(
    "a user's aggregator",
    {"spread_v": "spread(v)"},
    ("v",),
)
APPROXIMATE = Query(
    "approx_count_distinct",
    {"approximate_v": "approx_count_distinct(v)"},
    ("v",),
)
# What the other engines have no like of.
SPARKS = (SKETCH, USERS, APPROXIMATE)


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

    def sql(self, table: str, instead: Mapping[str, str] | None = None) -> str:
        """The job in the SQL that all have in common, but for what one is asked `instead`."""
        return self._over(table, f"ORDER BY {self.frame.order} {self.frame.sql}", instead or {})

    def whole_sql(self, table: str) -> str:
        """The same aggregates over the same rows in the same order, once for each key."""
        whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
        return self._over(table, f"ORDER BY {self.frame.order} {whole}", {})

    def _over(self, table: str, frame: str, instead: Mapping[str, str]) -> str:
        aggregates = {n: instead.get(n, a) for n, a in self.query.aggregates.items()}
        columns = [*self.selected, *(f"{_windowed(a)} AS {n}" for n, a in aggregates.items())]
        return (
            f"SELECT {', '.join(columns)} FROM {self._source(table)} "
            f"WINDOW f AS (PARTITION BY k {frame})"
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


def _windowed(aggregate: str) -> str:
    return aggregate.format(over="OVER f") if "{over}" in aggregate else f"{aggregate} OVER f"
