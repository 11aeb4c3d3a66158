"""Windows of groups: how many times as long as Muntin each alternative takes."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.charts.bars import Bar, Group, grouped
from benchmarks.charts.chart import Chart, colour
from benchmarks.groups import chapter
from benchmarks.reader import Table, number, seconds


def draw(table: Table) -> Figure:
    """Draw a bar for each alternative, hollow if it ran on a part."""
    groups = [
        Group(question.partition(" (")[0], [_bar(line) for line in lines if _is_rival(line)])
        for question, lines in table.groups().items()
    ]
    figure, axes = grouped(groups, 1.0)
    axes.set_xlabel(
        "time / Muntin's; right of 1 Muntin is faster\n(hollow: ran on a part, times the parts)"
    )
    axes.set_title("Windows of groups and their alternatives")
    axes.set_xlim(0.1, 10_000)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,g}")
    return figure


def _is_rival(line: dict[str, str]) -> bool:
    return line["who"] not in (chapter.MUNTIN, "floor")


def _bar(line: dict[str, str]) -> Bar:
    ratio, time = number(line["Muntin / it"]), seconds(line["seconds"])
    if not ratio or time is None:
        raise ValueError(f"no ratio or no time in {line}")
    times = 1 / ratio
    text = f"{times:,.0f} x" if times >= 10 else f"{times:.2f} x"
    if time.is_estimate:
        text = f"about {float(f'{times:.2g}'):,.0f} x"
    elif line["rounds"] == "1":
        text = f"{text}, first run"
    return Bar(line["who"], times, text, colour(line["who"]), time.is_estimate)


CHART = Chart("groups", chapter.TITLE.removeprefix("## "), draw)
