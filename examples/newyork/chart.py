"""Charts: an airport's temperature with the band of its last 24 hours; planes in the air."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from pyspark.sql import DataFrame

matplotlib.use("Agg")

import matplotlib.dates as mdates
import matplotlib.pyplot as plt


def draw(temperature: DataFrame, airport: str, first: str, last: str, path: Path) -> None:
    """Draw the rows of one airport between two days to a PNG."""
    rows: Any = (
        temperature.where(f"origin = '{airport}' AND hour >= '{first}' AND hour < '{last}'")
        .orderBy("hour")
        .toPandas()
    )
    figure, axes = plt.subplots(figsize=(11, 4.5), layout="constrained")
    axes.fill_between(
        rows.hour,
        rows.low,
        rows.high,
        color="#9ecae1",
        alpha=0.5,
        label="min to max, last 24 hours",
    )
    axes.plot(rows.hour, rows["mean"], color="#3182bd", label="mean, last 24 hours")
    axes.plot(rows.hour, rows.temp, color="#d94801", linewidth=1, label="temperature")
    axes.set_title(f"Temperature at {airport} and its last 24 hours")
    axes.set_ylabel("°F")
    dates: Any = mdates
    axes.xaxis.set_major_locator(dates.WeekdayLocator(dates.MO))
    axes.xaxis.set_major_formatter(dates.DateFormatter("%a %d %b %Y"))
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    axes.legend(loc="upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_planes(planes: DataFrame, first: str, last: str, path: Path) -> str:
    """Draw the planes in the air between two days to a PNG; return the time of the maximum."""
    highest: Any = planes.orderBy(planes.planes.desc(), "start").limit(1).toPandas()
    peak = highest.iloc[0]
    rows: Any = planes.where(f"end > '{first}' AND start < '{last}'").orderBy("start").toPandas()
    figure, axes = plt.subplots(figsize=(11, 4.5), layout="constrained")
    axes.step(rows.start, rows.planes, where="post", color="#3182bd", linewidth=1)
    axes.fill_between(rows.start, rows.planes, step="post", color="#9ecae1", alpha=0.5)
    most = f"most of the year: {peak.planes} on {peak.start:%a %d %b, %H:%M}"
    axes.axhline(peak.planes, color="#d94801", linewidth=1, label=most)
    axes.set_title("Planes from New York in the air")
    axes.set_ylim(0, 1.15 * peak.planes)
    dates: Any = mdates
    axes.xaxis.set_major_locator(dates.DayLocator())
    axes.xaxis.set_major_formatter(dates.DateFormatter("%a %d %b"))
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    axes.legend(loc="upper center", frameon=False)
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return most
