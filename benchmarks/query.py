"""The queries of the benchmarks: a set of aggregates over a window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from benchmarks.data import KEYS_PER_ROW, SECONDS_PER_KEY, Data

Unit = Literal["ROWS", "RANGE", "RANGE of time"]
Side = Literal["preceding", "centred", "following"]


@dataclass(frozen=True)
class Window:
    """The rows of an aggregate for each row: about `width` rows."""

    width: int = field(default=1, kw_only=True)

    @property
    def order(self) -> str:
        """Return the ORDER BY column."""
        return "t"

    @property
    def clause(self) -> str:
        """Return the part of the OVER clause after PARTITION BY."""
        return f"ORDER BY {self.order}"

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the columns that it reads in addition to its order."""
        return ()

    def around(self, aggregate: str) -> str:
        """Return the aggregate for the OVER clause."""
        return aggregate

    def today(self, table: str) -> str | None:  # noqa: ARG002
        """Return stock Spark's expressions for the main query, if Spark has no such window.

        It is the part of the SELECT after the plain columns.
        """
        return None

    @property
    def today_share(self) -> int:
        """Return n if stock Spark computes one key in n, at any width."""
        return 1


@dataclass(frozen=True)
class Ordered(Window):
    """Only the order and the columns that are read, for the floor."""

    by: str
    also: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"ORDER BY {self.by}"

    @property
    def order(self) -> str:
        return self.by

    @property
    def reads(self) -> tuple[str, ...]:
        return self.also


@dataclass(frozen=True)
class Frame(Window):
    """A standard frame that contains the current row."""

    unit: Unit
    side: Side

    def __str__(self) -> str:
        return f"{self.unit} {self.side}"

    @property
    def order(self) -> str:
        return "ts" if self.unit == "RANGE of time" else "t"

    @property
    def reach(self) -> int:
        """Return the rows, or units of t, from the current row to the ends of the frame."""
        rows = self.width // 2 if self.side == "centred" else self.width - 1
        return rows if self.unit == "ROWS" else rows * KEYS_PER_ROW

    @property
    def clause(self) -> str:
        offset = f"{self.reach}"
        if self.unit == "RANGE of time":
            offset = f"INTERVAL {self.reach * SECONDS_PER_KEY} SECONDS"
        start = "CURRENT ROW" if self.side == "following" else f"{offset} PRECEDING"
        end = "CURRENT ROW" if self.side == "preceding" else f"{offset} FOLLOWING"
        return f"ORDER BY {self.order} {self.unit.split()[0]} BETWEEN {start} AND {end}"


@dataclass(frozen=True)
class Framed(Frame):
    """A standard frame, changed by an option of framed()."""

    option: str

    def __str__(self) -> str:
        return f"{super().__str__()} framed({self.option})"

    @property
    def reads(self) -> tuple[str, ...]:
        return ("d",) if "arrival" in self.option else ()

    def around(self, aggregate: str) -> str:
        return f"framed({aggregate}, {self.option})"


@dataclass(frozen=True)
class Sliding(Window):
    """The last `width` rows, of all rows or of the three quarters that satisfy a condition."""

    where: str = ""

    def __str__(self) -> str:
        return f"sliding(n{', ' if self.where else ''}{self.where})"

    @property
    def reads(self) -> tuple[str, ...]:
        return ("d",) if self.where else ()

    def around(self, aggregate: str) -> str:
        where = f", {self.where}" if self.where else ""
        return f"sliding({aggregate}, {self.width}{where})"

    def today(self, table: str) -> str:
        where = f"FILTER (WHERE {self.where}) " if self.where else ""
        n = self.width
        return _of_lists(
            f"(SELECT *, IF(size(l) >= {n}, slice(l, size(l) - {n} + 1, {n}), NULL) AS recent FROM "
            f"(SELECT *, collect_list(v) {where}OVER (PARTITION BY k ORDER BY t "
            f"ROWS UNBOUNDED PRECEDING) AS l FROM {table}))"
        )

    @property
    def today_share(self) -> int:
        return 100


@dataclass(frozen=True)
class Since(Window):
    """Everything since a condition that is true once in `width` rows was true."""

    def __str__(self) -> str:
        return "since(once in n rows)"

    @property
    def predicate(self) -> str:
        """Return the condition."""
        return f"t % {self.width} = 0"

    def around(self, aggregate: str) -> str:
        return f"since({aggregate}, {self.predicate})"

    def today(self, table: str) -> str:
        over = ", ".join(f"{a} OVER f AS {n}" for n, a in BASIC.aggregates.items())
        return (
            f"{over} FROM (SELECT *, count_if({self.predicate}) OVER (PARTITION BY k ORDER BY t "
            f"ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS g FROM {table}) "
            "WINDOW f AS (PARTITION BY k, g ORDER BY t ROWS UNBOUNDED PRECEDING)"
        )


def _of_lists(table: str) -> str:
    total = "aggregate(recent, 0D, (a, b) -> a + b)"
    return (
        f"{total} AS sum_v, {total} / size(recent) AS avg_v, array_min(recent) AS min_v, "
        f"array_max(recent) AS max_v, IF(recent IS NULL, NULL, size(recent)) AS count_v "
        f"FROM {table}"
    )


@dataclass(frozen=True, eq=False)
class Query:
    """Aggregates, by the names of their columns, and the columns that they read.

    `stock` and `duckdb` are the expressions for stock Spark and DuckDB, if their syntax differs.
    Columns in `tied` are not compared, because several results are correct.
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
# {over} is replaced by the OVER clause, if it is not at the end.
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
# Functions without an equivalent in the other engines.
SPARKS = (SKETCH, USERS, APPROXIMATE)


@dataclass(frozen=True)
class Job:
    """One query over one frame of one set of rows, which a contender runs."""

    data: Data
    query: Query
    frame: Window
    only_keys_below: int | None = None

    @property
    def selected(self) -> tuple[str, ...]:
        """Return the input columns that are part of the result."""
        return ("k", self.frame.order, *self.query.columns, *self.frame.reads)

    def sample(self, share: int) -> Job:
        """Return the job over one `share`-th of the keys."""
        return replace(self, only_keys_below=self.data.keys // share)

    def sql(self, table: str, instead: Mapping[str, str] | None = None) -> str:
        """Return the job in the common SQL, with the expressions of `instead`."""
        aggregates = {n: (instead or {}).get(n, a) for n, a in self.query.aggregates.items()}
        around = {n: self.frame.around(a) for n, a in aggregates.items()}
        return self._over(table, self.frame.clause, around)

    def stock_sql(self, table: str) -> str:
        """Return the job in the SQL of stock Spark."""
        today = self.frame.today(self._source(table))
        if today is None:
            return self.sql(table, self.query.stock)
        return f"SELECT {', '.join(self.selected)}, {today}"

    def whole_sql(self, table: str) -> str:
        """Return a query for the same aggregates over each whole key, in the same order."""
        whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
        return self._over(table, f"ORDER BY {self.frame.order} {whole}", self.query.aggregates)

    def _over(self, table: str, clause: str, aggregates: Mapping[str, str]) -> str:
        columns = [*self.selected, *(f"{_windowed(a)} AS {n}" for n, a in aggregates.items())]
        return (
            f"SELECT {', '.join(columns)} FROM {self._source(table)} "
            f"WINDOW f AS (PARTITION BY k {clause})"
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
