"""Seconds by the width of the frame: all contenders, ROWS preceding."""

from __future__ import annotations

from itertools import pairwise
from math import log10
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import grid
from benchmarks.charts.chart import GREY, SMALL, Chart, apart, by_width, colour
from benchmarks.reader import Seconds, Table, number, seconds

LEAST, MOST = 0.3, 400.0
GAP = 0.045 * log10(MOST / LEAST)
LABELS = {"Spark, segment tree": "stock Spark,\nsegment tree"}
HOLLOW = "hollow, dashed: one key in {} ran, times {}"


def draw(table: Table) -> Figure:
    """Draw a line for each contender; hollow and dashed if only one key in n ran."""
    figure, axes = by_width(4.6, LEAST, MOST)
    widths = [number(cell) or 0.0 for cell in table.column("width")]
    ends: dict[str, tuple[float, float]] = {}
    for who in table.head[1:-1]:
        cells = table.column(who)
        times = [(w, s) for w, s in zip(widths, map(seconds, cells), strict=True) if s]
        if not times:
            continue
        _line(axes, who, times)
        for _, time in times:
            if time.is_estimate:
                note = HOLLOW.format(time.share, time.share)
                axes.text(0.02, 0.03, note, transform=axes.transAxes, color=GREY, fontsize=SMALL)
        last, time = times[-1]
        ends[who] = (last, time.of_all)
        _words(axes, who, ends[who], dict(zip(widths, cells, strict=True)))
    _labels(axes, ends, max(widths))
    axes.set_ylabel("seconds")
    axes.set_title("One query, by the width of its frame")
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    return figure


def _line(axes: Axes, who: str, times: list[tuple[float, Seconds]]) -> None:
    style: dict[str, Any] = {"color": colour(who), "zorder": 3.0 if who == "Muntin" else 2.0}
    for (x, s), (next_x, next_s) in pairwise(times):
        dashed = s.is_estimate or next_s.is_estimate
        wide = 2.6 if who == "Muntin" else 1.6
        axes.plot(
            [x, next_x],
            [s.of_all, next_s.of_all],
            linestyle="--" if dashed else ":" if who == "floor" else "-",
            linewidth=wide,
            **style,
        )
    for x, s in times:
        face = "white" if s.is_estimate else colour(who)
        axes.plot([x], [s.of_all], marker="o", markerfacecolor=face, **style)


def _words(axes: Axes, who: str, end: tuple[float, float], cells: dict[float, str]) -> None:
    """Write the text of a cell without a time, such as that it takes minutes."""
    for width, cell in cells.items():
        if cell and seconds(cell) is None and width > end[0]:
            axes.annotate(
                f"at {width:,.0f}: {cell}",
                end,
                xytext=(width, MOST * 0.75),
                ha="right",
                va="center",
                color=colour(who),
                arrowprops={"arrowstyle": "<-", "linestyle": ":", "color": colour(who)},
            )


def _labels(axes: Axes, ends: dict[str, tuple[float, float]], last: float) -> None:
    """Write the names at the ends of the lines."""
    at_the_edge = {who: log10(y) for who, (x, y) in ends.items() if x == last}
    moved = apart(at_the_edge, GAP)
    for who, (x, y) in ends.items():
        at_end = who in moved
        axes.annotate(
            LABELS.get(who, who),
            (x, 10 ** moved[who] if at_end else y),
            xytext=(8 if at_end else -8, 0),
            textcoords="offset points",
            ha="left" if at_end else "right",
            va="center",
            color=colour(who),
            weight="bold" if who == "Muntin" else "normal",
        )


CHART = Chart("seconds-by-width", grid.full()[0].title, draw)
