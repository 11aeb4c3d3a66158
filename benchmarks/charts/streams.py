"""Windows on streams: rows per second of Muntin and other engines."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.charts.bars import Bar, Group, grouped
from benchmarks.charts.chart import Chart, colour, short
from benchmarks.reader import Table, number
from benchmarks.streams import chapter


def draw(table: Table) -> Figure:
    """Draw a bar for each engine that runs a question."""
    groups = [
        Group(question, [_bar(line) for line in lines])
        for question, lines in table.groups().items()
        if question != chapter.ALONE
    ]
    figure, axes = grouped(groups, 0.0)
    axes.set_xlabel("rows per second")
    axes.set_title("Windows on streams")
    axes.margins(x=0.12)
    axes.xaxis.set_major_formatter(lambda x, _: short(x))
    return figure


def _bar(line: dict[str, str]) -> Bar:
    said = line["rows per second"]
    # A run that was stopped has an upper bound.
    rows = number(said.removeprefix("< ")) or 0.0
    return Bar(line["who"], rows, said, colour(line["who"]))


CHART = Chart("streams", chapter.TITLE.removeprefix("## "), draw)
