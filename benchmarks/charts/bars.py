"""Horizontal bars in groups, with a title for each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.charts.chart import GREY, SMALL, WIDTH

# Inches. A label is above its bar, so that a narrow picture has room for both.
TITLE, LABEL, BAR, GAP = 0.3, 0.19, 0.17, 0.1


@dataclass(frozen=True)
class Bar:
    """A value; its bar is hollow if the value is an estimate."""

    label: str
    value: float
    text: str
    colour: str
    is_estimate: bool = False


@dataclass(frozen=True)
class Group:
    """Bars with a title above them."""

    title: str
    bars: Sequence[Bar]


def grouped(groups: Sequence[Group], origin: float) -> tuple[Figure, Axes]:
    """Draw the groups from top to bottom; the axis is logarithmic unless the origin is 0."""
    height = sum(TITLE + GAP + (LABEL + BAR) * len(group.bars) for group in groups)
    figure = Figure(figsize=(WIDTH, height + 1.1), layout="constrained")
    axes: Axes = figure.subplots()
    if origin > 0:
        axes.set_xscale("log")
    y = 0.0
    for group in groups:
        _above(axes, group.title, y + TITLE / 2, weight="bold")
        y += TITLE
        for bar in group.bars:
            _above(axes, bar.label, y + LABEL / 2, fontsize=SMALL)
            _draw(axes, y + LABEL + BAR / 2, bar, origin)
            y += LABEL + BAR
        y += GAP
    axes.set_ylim(y, 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.axvline(origin, color=GREY, linewidth=0.8, zorder=0.5)
    return figure, axes


def _draw(axes: Axes, y: float, bar: Bar, origin: float) -> None:
    axes.barh(
        y,
        bar.value - origin,
        left=origin,
        height=BAR * 0.8,
        facecolor="white" if bar.is_estimate else bar.colour,
        edgecolor=bar.colour,
        linestyle="--" if bar.is_estimate else "-",
    )
    _text(axes, bar.text, (bar.value, y), is_right=bar.value >= origin, fontsize=SMALL)


def _above(axes: Axes, text: str, y: float, **looks: Any) -> None:
    """Write a line of text from the left edge on."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    place = axes.get_yaxis_transform()
    axes.text(0.0, y, text, transform=place, va="center", bbox=box, **looks)


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
