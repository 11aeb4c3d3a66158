"""The results as Markdown: times, ratios to the floor, and whether the bars are reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.grid import Series
from benchmarks.query import BASIC
from benchmarks.runner import Key, Timing, floor_job

FLATNESS = 1.1
NARROW, BROAD = 10, 100_000


@dataclass(frozen=True)
class Bar:
    """Something that had to be reached: the worst of what was seen against its limit."""

    what: str
    limit: float
    seen: dict[str, float]

    @property
    def reached(self) -> bool | None:
        """None where nothing was measured."""
        return max(self.seen.values()) <= self.limit if self.seen else None

    @property
    def line(self) -> list[str]:
        if not self.seen:
            return [self.what, f"<= {self.limit}", "not measured", "-"]
        worst = max(self.seen, key=self.seen.__getitem__)
        verdict = "yes" if self.reached else "**no**"
        return [self.what, f"<= {self.limit}", f"{self.seen[worst]:.2f} ({worst})", verdict]


class Results:
    """The timings, with the ratios between them."""

    def __init__(self, series: Sequence[Series], timings: dict[Key, Timing]) -> None:
        self.series = series
        self._timings = timings

    def timing(self, contender: str, series: Series, width: int) -> Timing | None:
        """A contender's timing; the floor's is that of its group."""
        job = series.job(width)
        return self._timings.get(Key(contender, floor_job(job) if contender == "floor" else job))

    def best(self, contender: str, series: Series, width: int) -> float | None:
        """Its best time over all rows."""
        timing = self.timing(contender, series, width)
        return None if timing is None or timing.share > 1 else timing.best

    def ratio(self, contender: str, other: str, series: Series, width: int) -> float | None:
        ours, theirs = self.best(contender, series, width), self.best(other, series, width)
        return ours / theirs if ours and theirs else None

    def bars(self) -> list[Bar]:
        """What has to be reached, with what was seen."""
        groups: list[tuple[str, float, list[Series]]] = [
            ("sum + avg + min + max + count, preceding: time / floor", 1.15, []),
            ("var + stddev + corr, first + last + nth: time / floor", 1.3, []),
            ("the first row, centred and following: time / floor", 1.3, []),
        ]
        for s in self.series:
            groups[1 if s.query != BASIC else 0 if s.side == "preceding" else 2][2].append(s)
        bars = [Bar(what, limit, self._over(of, "floor")) for what, limit, of in groups]
        bars.append(Bar("time / stock Spark's", 1.0, self._over(self.series, "stock Spark")))
        flat = {}
        for s in self.series:
            narrow, broad = self.best("Muntin", s, NARROW), self.best("Muntin", s, BROAD)
            if narrow and broad:
                flat[s.title] = broad / narrow
        bars.append(Bar(f"time at width {BROAD:,} / time at width {NARROW}", FLATNESS, flat))
        return bars

    def _over(self, series: Iterable[Series], other: str) -> dict[str, float]:
        ratios = {}
        for s in series:
            for width in s.widths:
                ratio = self.ratio("Muntin", other, s, width)
                if ratio is not None:
                    ratios[f"{s.title}, width {width:,}"] = ratio
        return ratios


def series_table(results: Results, series: Series, contenders: Sequence[str]) -> list[str]:
    """The times of a series, a line for each width."""
    lines = []
    for width in series.widths:
        cells = [_cell(results.timing(c, series, width)) for c in contenders]
        ratio = results.ratio("Muntin", "floor", series, width)
        verdict = "-" if ratio is None else f"{ratio:.2f}" + ("" if ratio <= series.bar else " !")
        lines.append([f"{width:,}", *cells, verdict])
    head = ["width", *contenders, f"Muntin / floor (<= {series.bar})"]
    return ["", f"### {series.title}", "", *table(head, lines)]


def _cell(timing: Timing | None) -> str:
    if timing is None:
        return ""
    if timing.best is None:
        return timing.skipped or "-"
    if timing.share > 1:
        return f"{timing.best:.2f} for 1/{timing.share}"
    return f"{timing.best:.2f}"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table; all but the first column are numbers."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    return [_row(head), rule, *(_row(line) for line in lines)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
