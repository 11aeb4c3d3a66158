"""Windows on streams: rows per second, beside what streams have today."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.charts.bars import Bar, Group, grouped
from benchmarks.charts.chart import Chart, colour
from benchmarks.reader import Table, number
from benchmarks.streams import chapter


def draw(table: Table) -> Figure:
    """A bar for each that answers a question."""
    groups = [
        Group(question, [_bar(line) for line in lines])
        for question, lines in table.groups().items()
        if question != chapter.ALONE
    ]
    figure, axes = grouped(groups, 0.0)
    axes.set_xlabel("rows per second")
    axes.set_title("Windows on streams")
    axes.margins(x=0.12)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    return figure


def _bar(line: dict[str, str]) -> Bar:
    said = line["rows per second"]
    # Of what was stopped it is known that it would be less.
    rows = number(said.removeprefix("< ")) or 0.0
    return Bar(line["who"], rows, said, colour(line["who"]))


CHART = Chart("streams", chapter.TITLE.removeprefix("## "), draw)
