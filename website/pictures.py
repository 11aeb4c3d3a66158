"""The pictures of windows in docs/images/, which `mt.picture` draws."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from website.dark import with_dark_mode

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def readings(spark: SparkSession) -> DataFrame:
    """Nine readings of a sensor within four minutes; every second one is valid."""
    start = datetime(2026, 1, 1, 8)
    times = [start + timedelta(seconds=s) for s in (5, 20, 50, 65, 90, 130, 155, 190, 225)]
    return spark.createDataFrame(
        [(at, at + timedelta(seconds=50), n % 2 == 0, n) for n, at in enumerate(times)],
        "at timestamp_ntz, until timestamp_ntz, valid boolean, x int",
    )


def pictures(spark: SparkSession) -> dict[str, mt.Picture]:
    rows = readings(spark)
    order = mt.over(order_by="at")
    x = F.sum("x")
    minute = F.expr("INTERVAL 1 MINUTE")
    return {
        "rolling": mt.picture(rows, mt.rolling(x, 3, order_by="at"), at="at"),
        "sliding": mt.picture(rows, mt.sliding(x, 2, F.col("valid")).over(order), at="at"),
        "since": mt.picture(rows, mt.since(x, F.col("valid")).over(order), at="at"),
        "since_left": mt.picture(
            rows, mt.since(x, F.col("valid"), closed="left").over(order), at="at"
        ),
        "session": mt.picture(rows, mt.session(x, 30).over(order), at="at"),
        "sessions": mt.picture(rows, mt.sessions("at", 30), at="at"),
        "framed": mt.picture(
            rows, mt.framed(x, exclude="current row").over(order.rowsBetween(-2, 2)), at="at"
        ),
        "row_bounds": mt.picture(
            rows, x.over(mt.over(order_by="at", rows=(-(F.col("x") * 2 % 5), 0))), at="at"
        ),
        "hop": mt.picture(rows, mt.hop("at", 30, 60), at="at"),
        "field_window": mt.picture(rows, mt.field_window("at", 60, 30), at="at"),
        "ticks": mt.picture(rows, mt.ticks("at", "minutely"), at="at"),
        "validity": mt.picture(rows, mt.validity("at", "until"), at="at"),
        "window_by": mt.picture(
            rows,
            lambda rows: mt.window_by(rows, rows, time="at", start=F.col("at") - minute, end="at"),
            at="at",
        ),
    }


def file(name: str) -> Path:
    return IMAGES / f"window-{name.replace('_', '-')}.svg"


def drawn(picture: mt.Picture) -> str:
    """Return the picture as the pages show it."""
    return with_dark_mode(picture.svg)


def draw() -> None:
    """Write all pictures."""
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = mt.configure(builder).getOrCreate()
    for name, picture in pictures(spark).items():
        file(name).write_text(drawn(picture), encoding="utf-8")
    spark.stop()
