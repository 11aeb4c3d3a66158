"""Bars that lie, in groups with a title each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.charts.chart import WIDTH

LINE = 0.215  # inches


@dataclass(frozen=True)
class Bar:
    """A value; hollow where it is an estimate."""

    label: str
    value: float
    text: str
    colour: str
    is_estimate: bool = False


@dataclass(frozen=True)
class Group:
    """Bars below a title."""

    title: str
    bars: Sequence[Bar]


def grouped(groups: Sequence[Group], origin: float) -> tuple[Figure, Axes]:
    """The groups from top to bottom, bars from the origin on; on a log axis unless that is 0."""
    count = sum(1.3 + len(group.bars) for group in groups)
    figure = Figure(figsize=(WIDTH, LINE * count + 0.9), layout="constrained")
    axes: Axes = figure.subplots()
    if origin > 0:
        axes.set_xscale("log")
    places, labels = [], []
    y = 0.0
    for group in groups:
        _text(axes, group.title, (origin, y), is_right=True, weight="bold", fontsize=8.5)
        for bar in group.bars:
            y += 1
            places.append(y)
            labels.append(bar.label)
            _draw(axes, y, bar, origin)
        y += 1.3
    axes.set_yticks(places, labels)
    axes.set_ylim(y - 0.6, -0.8)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.axvline(origin, color="black", linewidth=0.8)
    return figure, axes


def _draw(axes: Axes, y: float, bar: Bar, origin: float) -> None:
    axes.barh(
        y,
        bar.value - origin,
        left=origin,
        height=0.72,
        facecolor="white" if bar.is_estimate else bar.colour,
        edgecolor=bar.colour,
        linestyle="--" if bar.is_estimate else "-",
    )
    _text(axes, bar.text, (bar.value, y), is_right=bar.value >= origin, fontsize=8)


def _text(
    axes: Axes, text: str, place: tuple[float, float], *, is_right: bool, **looks: Any
) -> None:
    axes.annotate(
        text,
        place,
        xytext=(4 if is_right else -4, 0),
        textcoords="offset points",
        ha="left" if is_right else "right",
        va="center",
        **looks,
    )
