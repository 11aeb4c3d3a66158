"""Many frames on one key: one frame, and five in one query."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks import horizons
from benchmarks.charts.bars import Bar, Group, grouped
from benchmarks.charts.chart import GREY, RED, Chart
from benchmarks.reader import Table, number

RESULTS = len(horizons.COLUMNS) * len(horizons.FUNCTIONS)
LABELS = {
    "floor": "floor: shuffle, sort, project",
    "one frame": f"one frame, {RESULTS} results a row",
    "five frames": f"five frames, {RESULTS * len(horizons.HORIZONS)} results a row",
}


def draw(table: Table) -> Figure:
    """Draw three bars each for ROWS and RANGE."""
    figure, axes = grouped(
        [Group(unit, _bars(lines[0])) for unit, lines in table.groups().items()], 0.0
    )
    axes.set_xlabel("seconds")
    axes.set_title("One frame, and five at once over the same rows")
    axes.margins(x=0.1)
    return figure


def _bars(line: dict[str, str]) -> list[Bar]:
    times = {name: number(line[name]) or 0.0 for name in LABELS}
    return [
        Bar(LABELS[name], time, f"{time:.1f}", GREY if name == "floor" else RED)
        for name, time in times.items()
    ]


CHART = Chart("many-frames", horizons.TITLE.removeprefix("## "), draw)
