"""Which jobs are run: every width for the main query, a few for the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    Job,
    Query,
    Side,
    Unit,
)


@dataclass(frozen=True)
class Series:
    """Jobs that differ in their frame's width alone, and what they have to reach.

    The contenders other than Muntin run at the widths `rivals`.
    """

    part: str
    data: Data
    query: Query
    unit: Unit
    side: Side
    widths: tuple[int, ...]
    rivals: tuple[int, ...]

    @property
    def title(self) -> str:
        keys = "one key" if self.data.keys == 1 else f"{self.data.keys:,} keys"
        return f"{self.query.title}, {self.unit} {self.side}, {keys}"

    @property
    def base(self) -> str:
        """What Muntin's time is held against: the floor, or what the aggregate itself costs."""
        return "whole partition" if self.query in SPARKS else "floor"

    @property
    def bar(self) -> float:
        """Time / that of the base, which Muntin has to reach."""
        if self.base != "floor":
            return 3.0
        if self.query == HOLISTIC:
            return 1.8
        return 1.15 if self.query == BASIC and self.side == "preceding" else 1.3

    def job(self, width: int) -> Job:
        return Job(self.data, self.query, Frame(self.unit, self.side, width))


ROWS = 4_000_000
WIDE = (3, 10, 100, 1_000, 10_000, 100_000)


def full(rows: int = ROWS) -> list[Series]:
    """The whole grid."""
    some, many, one = Data(rows, 100), Data(rows, 10_000), Data(rows, 1)
    few = (10, 10_000)
    ends = (10, 100_000)
    return [
        Series("rows", some, BASIC, "ROWS", "preceding", WIDE, (3, 10, 100, 1_000, 100_000)),
        Series("range", some, BASIC, "RANGE", "preceding", WIDE, (3, 10, 1_000, 100_000)),
        Series("time", some, BASIC, "RANGE of time", "preceding", few, few),
        Series("centred", some, BASIC, "ROWS", "centred", few, few),
        Series("centred", some, BASIC, "RANGE", "centred", few[:1], ()),
        Series("following", some, BASIC, "ROWS", "following", few, few),
        Series("following", some, BASIC, "RANGE", "following", few[:1], ()),
        Series("moments", some, MOMENTS, "ROWS", "preceding", ends, few[:1]),
        Series("positions", some, POSITIONS, "ROWS", "preceding", ends, few[:1]),
        Series("holistic", some, HOLISTIC, "ROWS", "preceding", (10, 1_000, 100_000), few[:1]),
        Series("holistic", some, HOLISTIC, "RANGE", "preceding", (10, 1_000, 100_000), ()),
        Series("merged", some, APPROXIMATE, "ROWS", "preceding", (1_000,), ()),
        Series("merged", some, SKETCH, "ROWS", "preceding", (1_000,), ()),
        Series("merged", some, USERS, "ROWS", "preceding", (10, 1_000, 100_000), ()),
        Series("many-keys", many, BASIC, "ROWS", "preceding", (3, 100), (3, 100)),
        Series("one-key", one, BASIC, "ROWS", "preceding", (10, 1_000_000), (1_000_000,)),
    ]


def quick(rows: int = ROWS // 4) -> list[Series]:
    """Some widths, fewer rows."""
    some = Data(rows, 100)
    return [
        Series("rows", some, BASIC, "ROWS", "preceding", (3, 10, 1_000, 100_000), (3, 1_000)),
        Series("range", some, BASIC, "RANGE", "preceding", (10, 10_000), (10,)),
        Series("centred", some, BASIC, "ROWS", "centred", (1_000,), ()),
        Series("following", some, BASIC, "ROWS", "following", (1_000,), ()),
        Series("moments", some, MOMENTS, "ROWS", "preceding", (1_000,), ()),
        Series("positions", some, POSITIONS, "ROWS", "preceding", (1_000,), ()),
        Series("holistic", some, HOLISTIC, "ROWS", "preceding", (1_000,), ()),
        Series("merged", some, USERS, "ROWS", "preceding", (1_000,), ()),
    ]


def parts(series: Sequence[Series]) -> list[str]:
    """The names that --only takes, in order."""
    return list(dict.fromkeys(s.part for s in series))
