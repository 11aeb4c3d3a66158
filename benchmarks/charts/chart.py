"""The style of all charts, and functions that write them.

Charts are narrow and their text is large, so that they can be read on a telephone, 360 pixels wide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.charts.dark import BACKGROUND, with_dark_mode
from benchmarks.reader import Report, Table

WIDTH = 5.2  # inches: 500 pixels
SMALL = 9.5  # points, of notes

# Okabe and Ito's colours, which colour-blind readers can distinguish.
BLACK, GREY, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000",
    "#767676",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
COLOURS = {
    "Muntin": RED,
    "floor": GREY,
    "stock Spark": BLUE,
    "Spark, segment tree": SKY,
    "transformWithState": BLUE,
    "DuckDB": ORANGE,
    "Polars": GREEN,
    "Flink": ORANGE,
}

GRID = "#e4e4e4"

# By the colours in light mode.
DARK = {
    "#ffffff": BACKGROUND,
    BLACK: "#e6e6e6",
    GREY: "#a9a9a9",
    GRID: "#3a3f4b",
    GREEN: "#2fc69a",
    BLUE: "#4c9be8",
    SKY: "#9fd8ff",
    RED: "#ff7f40",
}

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "muntin",  # reproducible names in the file
    "svg.fonttype": "none",  # text, not paths
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "figure.facecolor": "white",
}


@dataclass(frozen=True)
class Chart:
    """A picture of one chapter of the report."""

    file: str
    chapter: str
    draw: Callable[[Table], Figure]

    def write(self, report: Report, folder: Path, kind: str = "svg") -> str:
        """Write the picture, if the report has its chapter; return a line about it."""
        chapter = report.chapters.get(self.chapter)
        if chapter is None or chapter.table is None:
            return f"{self.file}: left out, since the report has no chapter {self.chapter!r}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.file}.{kind}"
        with rc_context(STYLE):
            figure = self.draw(chapter.table)
            note = f"commit {report.commit(self.chapter)}, {report.machine['processor']}"
            figure.supxlabel(note, x=0.99, ha="right", fontsize=SMALL, color=GREY)
            if kind == "svg":
                svg = StringIO()
                figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
                path.write_text(with_dark_mode(svg.getvalue(), DARK))
            else:
                figure.savefig(path, dpi=96)
        return f"{self.file}: {path}"


def by_width(height: float, least: float, most: float) -> tuple[Figure, Axes]:
    """Return an empty figure for values by the width of the frame; both axes are logarithmic."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes: Axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(least, most)
    axes.set_xlabel("rows in the frame")
    axes.xaxis.set_major_formatter(lambda x, _: short(x))
    return figure, axes


def short(number: float) -> str:
    """Return a number as an axis shows it: 3, 1,000, 20k, 1.5M."""
    if number >= 1e6:
        return f"{number / 1e6:g}M"
    return f"{number / 1000:g}k" if number >= 1e4 else f"{number:,.0f}"


def colour(who: str) -> str:
    """Return the colour of a contender, whose name begins with a known name."""
    return next((c for name, c in COLOURS.items() if who.startswith(name)), GREY)


def apart(places: dict[str, float], gap: float) -> dict[str, float]:
    """Return the places of labels, moved as little as possible until they are `gap` apart.

    After subtracting n gaps, the places must increase; neighbours that decrease get their mean
    (isotonic regression).
    """
    names = sorted(places, key=places.__getitem__)
    pools: list[list[float]] = []
    for n, name in enumerate(names):
        pools.append([places[name] - n * gap])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    level = [fmean(pool) for pool in pools for _ in pool]
    return {name: place + n * gap for n, (name, place) in enumerate(zip(names, level, strict=True))}
