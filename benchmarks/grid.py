"""The jobs: every width for the main query, a few widths for the other queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.data import Data
from benchmarks.query import (
    APPROXIMATE,
    BASIC,
    HOLISTIC,
    MOMENTS,
    POSITIONS,
    SKETCH,
    SPARKS,
    USERS,
    Frame,
    Framed,
    Job,
    Query,
    Since,
    Sliding,
    Window,
)


@dataclass(frozen=True)
class Series:
    """Jobs that differ only in the width of their window, and their limits.

    The contenders other than Muntin run at the widths `rivals`, and no job in more than `rounds`.
    """

    part: str
    data: Data
    query: Query
    window: Window
    widths: tuple[int, ...]
    rivals: tuple[int, ...]
    rounds: int = 5

    @property
    def title(self) -> str:
        keys = "one key" if self.data.keys == 1 else f"{self.data.keys:,} keys"
        return f"{self.query.title}, {self.window}, {keys}"

    @property
    def base(self) -> str:
        """Return the time to compare Muntin with: the floor, or the cost of the aggregate."""
        return "whole partition" if self.query in SPARKS else "floor"

    @property
    def bar(self) -> float:
        """Return the maximum ratio of the Muntin time to the base time."""
        if self.base != "floor":
            return 3.0
        if self.query == HOLISTIC:
            return 0.45
        looks_back = type(self.window) is Frame and self.window.side == "preceding"
        return 0.36 if self.query == BASIC and looks_back else 0.5

    def job(self, width: int) -> Job:
        return Job(self.data, self.query, replace(self.window, width=width))


ROWS = 4_000_000
FEWER = 3
WIDE = (3, 10, 100, 1_000, 10_000, 100_000)


def full(rows: int = ROWS) -> list[Series]:
    """Return the whole grid."""
    some, many, one = Data(rows, 100), Data(rows, 10_000), Data(rows, 1)
    few = (10, 10_000)
    ends = (10, 100_000)
    return [
        Series("rows", some, BASIC, Frame("ROWS", "preceding"), WIDE, (3, 10, 1_000, 100_000)),
        Series("range", some, BASIC, Frame("RANGE", "preceding"), WIDE, (3, 1_000, 100_000)),
        Series("time", some, BASIC, Frame("RANGE of time", "preceding"), few, few),
        Series("centred", some, BASIC, Frame("ROWS", "centred"), few, few[:1]),
        Series("centred", some, BASIC, Frame("RANGE", "centred"), few[:1], ()),
        Series("following", some, BASIC, Frame("ROWS", "following"), few, few[:1]),
        Series("following", some, BASIC, Frame("RANGE", "following"), few[:1], ()),
        Series("moments", some, MOMENTS, Frame("ROWS", "preceding"), ends, few[:1]),
        Series("positions", some, POSITIONS, Frame("ROWS", "preceding"), ends, few[:1]),
        Series(
            "holistic", some, HOLISTIC, Frame("ROWS", "preceding"), (10, 1_000, 100_000), few[:1]
        ),
        Series("holistic", some, HOLISTIC, Frame("RANGE", "preceding"), (10, 1_000, 100_000), ()),
        Series("merged", some, APPROXIMATE, Frame("ROWS", "preceding"), (1_000,), (), FEWER),
        Series("merged", some, SKETCH, Frame("ROWS", "preceding"), (1_000,), (), FEWER),
        Series("merged", some, USERS, Frame("ROWS", "preceding"), (10, 1_000, 100_000), (), FEWER),
        *moving(some, (10, 1_000, 100_000)),
        Series("many-keys", many, BASIC, Frame("ROWS", "preceding"), (3, 100), (3,)),
        Series("one-key", one, BASIC, Frame("ROWS", "preceding"), (10, 1_000_000), (1_000_000,)),
    ]


def quick(rows: int = ROWS // 4) -> list[Series]:
    """Return a grid with some widths and fewer rows."""
    some = Data(rows, 100)
    return [
        Series(
            "rows", some, BASIC, Frame("ROWS", "preceding"), (3, 10, 1_000, 100_000), (3, 1_000)
        ),
        Series("range", some, BASIC, Frame("RANGE", "preceding"), (10, 10_000), (10,)),
        Series("centred", some, BASIC, Frame("ROWS", "centred"), (1_000,), ()),
        Series("following", some, BASIC, Frame("ROWS", "following"), (1_000,), ()),
        Series("moments", some, MOMENTS, Frame("ROWS", "preceding"), (1_000,), ()),
        Series("positions", some, POSITIONS, Frame("ROWS", "preceding"), (1_000,), ()),
        Series("holistic", some, HOLISTIC, Frame("ROWS", "preceding"), (1_000,), (), FEWER),
        Series("merged", some, USERS, Frame("ROWS", "preceding"), (1_000,), (), FEWER),
        *moving(some, (1_000,)),
    ]


def moving(data: Data, widths: tuple[int, ...]) -> list[Series]:
    """Return windows that functions define, with the equivalent queries of stock Spark."""
    today = widths[:1]
    closed = Framed("RANGE", "preceding", "closed => 'left'")
    arrival = Framed("RANGE", "preceding", "arrival => d")
    return [
        Series("moving", data, BASIC, Sliding(), widths[-1:], (), FEWER),
        Series("moving", data, BASIC, Sliding("d > 1"), widths, today, FEWER),
        Series("moving", data, BASIC, Since(), widths, today, FEWER),
        Series("moving", data, BASIC, closed, widths[-2:], (), FEWER),
        Series("moving", data, BASIC, arrival, widths[-2:], (), FEWER),
    ]


def parts(series: Sequence[Series]) -> list[str]:
    """Return the names that --only accepts, in order."""
    return list(dict.fromkeys(s.part for s in series))
