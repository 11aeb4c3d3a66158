"""What all charts have in common: their looks, and how they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.reader import Report, Table

WIDTH = 7.3  # inches: 700 pixels

# Okabe and Ito's colours, which are told apart by eyes of all kinds.
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

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "muntin",  # names in the file are the same each time
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
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
        """Write it, and say so; where there is no such chapter, say that."""
        chapter = report.chapters.get(self.chapter)
        if chapter is None or chapter.table is None:
            return f"{self.file}: left out, since the report has no chapter {self.chapter!r}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.file}.{kind}"
        with rc_context(STYLE):
            figure = self.draw(chapter.table)
            note = f"commit {report.commit(self.chapter)}, {report.machine['processor']}"
            figure.supxlabel(note, x=0.99, ha="right", fontsize=7, color=GREY)
            metadata = {"Date": None, "Creator": None} if kind == "svg" else {}
            figure.savefig(path, metadata=metadata, dpi=96)
        return f"{self.file}: {path}"


def by_width(height: float, least: float, most: float) -> tuple[Figure, Axes]:
    """An empty figure, of what there is by the width of the frame; both axes are logarithms."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes: Axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(least, most)
    axes.set_xlabel("rows in the frame")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    return figure, axes


def colour(who: str) -> str:
    """That of the one whose name a name begins with."""
    return next((c for name, c in COLOURS.items() if who.startswith(name)), GREY)


def apart(places: dict[str, float], gap: float) -> dict[str, float]:
    """Labels' places, moved as little as it takes for them to be `gap` from each other.

    Less n gaps each they have to rise; neighbours that fall share their mean (isotonic regression).
    """
    names = sorted(places, key=places.__getitem__)
    pools: list[list[float]] = []
    for n, name in enumerate(names):
        pools.append([places[name] - n * gap])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    level = [fmean(pool) for pool in pools for _ in pool]
    return {name: place + n * gap for n, (name, place) in enumerate(zip(names, level, strict=True))}
