"""The cost of a row in each kernel, by the width of the frame."""

from __future__ import annotations

from math import log10

from matplotlib.figure import Figure

from benchmarks import kernels
from benchmarks.charts.chart import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    Chart,
    apart,
    by_width,
)
from benchmarks.reader import Table, number

LEAST, MOST = 4.0, 1_500.0
GAP = 0.05 * log10(MOST / LEAST)
COLOURS = (RED, BLUE, GREEN, ORANGE, PURPLE, SKY, BLACK, GREY)
LABELS = {
    "Motion": "the frame alone",
    "Count": "count",
    "FirstLastNth": "first + last + nth",
    "MinMax": "min + max",
    "SumAvg": "sum + avg, of doubles",
    "Variance": "variance",
    "Correlation": "correlation",
    "Kurtosis": "kurtosis",
    "Mode": "mode",
    "Distinct": "count(DISTINCT)",
    "FirstOfDistinct": "first (DISTINCT)",
    "BitsStacks": "bit_and",
    "BitsCounted": "bit_and, counted",
    "Sketch": "approx_count_distinct",
}


def draw(table: Table) -> Figure:
    """Draw a line for each kernel."""
    figure, axes = by_width(3.9, LEAST, MOST)
    widths = [number(name) or 0.0 for name in table.head[1:]]
    ends: dict[str, float] = {}
    colours: dict[str, str] = {}
    for n, (name, *cells) in enumerate(table.lines):
        points = [(w, ns) for w, ns in zip(widths, map(number, cells), strict=True) if ns]
        colours[name] = COLOURS[n % len(COLOURS)]
        axes.plot(*zip(*points, strict=True), marker="o", color=colours[name])
        ends[name] = log10(points[-1][1])
    for name, place in apart(ends, GAP).items():
        axes.annotate(
            LABELS.get(name, name),
            (widths[-1], 10**place),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=colours[name],
        )
    axes.set_ylabel("nanoseconds for each row")
    axes.set_title("The kernels alone, one thread, without Spark")
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    return figure


CHART = Chart("kernels", kernels.TITLE.removeprefix("## "), draw)
