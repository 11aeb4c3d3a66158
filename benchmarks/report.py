"""Writes the results as Markdown: times, ratios to the floor, and limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.grid import Series
from benchmarks.query import BASIC, HOLISTIC, Frame, Framed
from benchmarks.runner import Key, Timing, base_job

REACHED, SECONDS = "## Limits", "## Seconds"
FLATNESS, HOLISTIC_FLATNESS = 1.1, 1.5
NARROW, BROAD = 10, 100_000
DUCKDB_FROM = 10


@dataclass(frozen=True)
class Bar:
    """A limit, and the worst measured value."""

    what: str
    limit: float
    seen: dict[str, float]

    @property
    def reached(self) -> bool | None:
        """Return whether the limit is reached, or None without a measurement."""
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
        """Return a contender's timing; for the base, the timing of its group."""
        job = base_job(series, width) if contender == series.base else series.job(width)
        return self._timings.get(Key(contender, job))

    def best(self, contender: str, series: Series, width: int) -> float | None:
        """Return its best time over all rows."""
        timing = self.timing(contender, series, width)
        return None if timing is None or timing.share > 1 else timing.best

    def ratio(self, contender: str, other: str, series: Series, width: int) -> float | None:
        ours, theirs = self.best(contender, series, width), self.best(other, series, width)
        return ours / theirs if ours and theirs else None

    def bars(self) -> list[Bar]:
        """Return the limits with the measured values."""
        groups: dict[str, list[Series]] = {
            "sum + avg + min + max + count, preceding: time / floor": [],
            "var + stddev + corr, first + last + nth: time / floor": [],
            "the first row, centred and following: time / floor": [],
            f"{HOLISTIC.title}: time / floor": [],
            "sketches, a user's aggregator: time / that over whole partitions": [],
            "sliding and since: time / floor": [],
            "framed: time / floor": [],
        }
        names = list(groups)
        for s in self.series:
            groups[names[_bar_of(s)]].append(s)
        bars = [Bar(n, of[0].bar, self._over(of, None)) for n, of in groups.items() if of]
        bars.append(Bar("time / stock Spark's", 1.0, self._over(self.series, "stock Spark")))
        plain = _plain(self.series)
        wide = self._over(plain, "DuckDB", DUCKDB_FROM)
        bars.append(Bar(f"time / DuckDB's, from width {DUCKDB_FROM:,} up", 1.0, wide))
        bars.append(Bar("time / Polars'", 1.2, self._over(plain, "Polars")))
        exact = [s for s in self.series if s.query != HOLISTIC and s.base == "floor"]
        holistic = [s for s in self.series if s.query == HOLISTIC]
        flat = f"time at width {BROAD:,} / time at width {NARROW}"
        bars.append(Bar(flat, FLATNESS, self._broad_over_narrow(exact)))
        if holistic:
            bars.append(
                Bar(
                    f"{HOLISTIC.title}: {flat}",
                    HOLISTIC_FLATNESS,
                    self._broad_over_narrow(holistic),
                )
            )
        return bars

    def _broad_over_narrow(self, series: Iterable[Series]) -> dict[str, float]:
        flat = {}
        for s in series:
            narrow, broad = self.best("Muntin", s, NARROW), self.best("Muntin", s, BROAD)
            if narrow and broad:
                flat[s.title] = broad / narrow
        return flat

    def _over(
        self, series: Iterable[Series], other: str | None, least: int = 0
    ) -> dict[str, float]:
        """Return the ratio of the Muntin time to a contender's time, or to each series' base."""
        ratios = {}
        for s in series:
            for width in (w for w in s.widths if w >= least):
                ratio = self.ratio("Muntin", other or s.base, s, width)
                if ratio is not None:
                    ratios[f"{s.title}, width {width:,}"] = ratio
        return ratios


def _plain(series: Iterable[Series]) -> list[Series]:
    """Return the series of the first query in frames that look back."""
    return [s for s in series if _bar_of(s) == 0]


def _bar_of(series: Series) -> int:
    if series.base != "floor":
        return 4
    if series.query == HOLISTIC:
        return 3
    if series.query != BASIC:
        return 1
    if isinstance(series.window, Framed):
        return 6
    if not isinstance(series.window, Frame):
        return 5
    return 0 if series.window.side == "preceding" else 2


def series_table(results: Results, series: Series, contenders: Sequence[str]) -> list[str]:
    """Return the times of a series, a line for each width."""
    names = [series.base, *contenders]
    lines = []
    for width in series.widths:
        cells = [_cell(results.timing(c, series, width)) for c in names]
        ratio = results.ratio("Muntin", series.base, series, width)
        verdict = "-" if ratio is None else f"{ratio:.2f}" + ("" if ratio <= series.bar else " !")
        lines.append([f"{width:,}", *cells, verdict])
    head = ["width", *names, f"Muntin / {series.base} (<= {series.bar})"]
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
    """Return a Markdown table; all columns except the first are numbers."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    return [_row(head), rule, *(_row(line) for line in lines)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def chapter_of(text: str, title: str) -> list[str]:
    """Return the lines of a chapter, with an empty line before it, if it exists."""
    lines = text.splitlines()
    if title not in lines:
        return []
    begin = lines.index(title)
    return ["", *lines[begin : _end(lines, begin)]]


def with_chapter(text: str, title: str, chapter: Sequence[str]) -> str:
    """Return the report with a chapter that replaces the chapter of its title, or is the last."""
    lines = text.splitlines()
    begin = lines.index(title) if title in lines else _last(lines)
    end = _end(lines, begin) if title in lines else begin
    before, after = "\n".join(lines[:begin]), "\n".join(lines[end:])
    parts = [before, "\n".join(chapter), after]
    return "\n\n".join(p.strip("\n") for p in parts if p.strip("\n")) + "\n"


def _end(lines: Sequence[str], begin: int) -> int:
    """Return the end of the chapter that begins at this line, without empty lines."""
    later = (n for n in range(begin + 1, len(lines)) if lines[n].startswith("## "))
    end = next(later, _last(lines))
    while not lines[end - 1]:
        end -= 1
    return end


def _last(lines: Sequence[str]) -> int:
    """Return the line with the total duration, or the end."""
    return len(lines) - 1 if lines and lines[-1].endswith("in all.") else len(lines)
