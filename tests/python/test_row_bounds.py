"""Frames whose ends are columns: ``mt.over`` with columns, classic and over Spark Connect."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import muntin as mt
import pytest
from conditions import raises
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

pytestmark = pytest.mark.smoke


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    return spark.sql(
        """SELECT *, TIMESTAMP'2026-01-01 10:00:00' + at * INTERVAL 1 MINUTE AS time
           FROM VALUES (0, 1, 0, 3), (1, 2, 1, 0), (1, 4, 0, 1), (4, 8, 3, 9), (9, 16, 5, 1)
           AS rows(at, x, n, m)"""
    )


def sums(rows: DataFrame, window: Any) -> list[int | None]:
    found = rows.select("x", F.sum("x").over(window).alias("sum")).collect()
    return [row["sum"] for row in sorted(found, key=lambda row: row["x"])]


# The frames of the columns n and m, as functions, because a Column needs a session.
FRAMES: list[tuple[Callable[[Column, Column], dict[str, Any]], list[int | None]]] = [
    (lambda n, _: {"rows": (-n, 0)}, [1, 3, 4, 15, 31]),
    (lambda n, m: {"rows": (-n, m)}, [15, 3, 12, 31, 31]),
    (lambda _, m: {"rows": (-1, m)}, [15, 3, 14, 28, 24]),
    (lambda _, m: {"rows": (None, -m)}, [None, 3, 3, None, 15]),
    (lambda _, m: {"rows": (m, None)}, [24, 30, 24, None, None]),
    (lambda n, _: {"range": (-n, 0)}, [1, 7, 6, 14, 24]),
    (lambda n, _: {"groups": (-n, 0), "exclude": "current row"}, [None, 5, 2, 7, 15]),
]


@pytest.mark.parametrize(("frame", "wanted"), FRAMES)
def test_columns_as_frame_offsets(
    rows: DataFrame,
    frame: Callable[[Column, Column], dict[str, Any]],
    wanted: list[int | None],
) -> None:
    said = frame(F.col("n"), F.col("m"))
    order = "at" if "rows" not in said else ["at", "x"]
    assert sums(rows, mt.over(order_by=order, **said)) == wanted


def test_intervals_are_added_to_times(rows: DataFrame) -> None:
    back = -F.col("n") * F.expr("INTERVAL 1 MINUTE")
    by_time = mt.over(order_by="time", range=(back, "0 seconds"))
    assert sums(rows, by_time) == [1, 7, 6, 14, 24]
    ahead = mt.over(order_by="time", range=(timedelta(minutes=-1), -back))
    assert sums(rows, ahead) == [1, 7, 7, 8, 16]


def test_invalid_offsets(rows: DataFrame) -> None:
    n = F.col("n")
    with raises(ValueError, "MUNTIN_FRAME_WITHOUT_ORDER", frame="rows"):
        mt.over(rows=(-n, 0))
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="rows"):
        mt.over(order_by="at", rows=n)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="MUNTIN_NULL_FRAME_OFFSET"):
        sums(rows, mt.over(order_by="at", rows=(F.when(n > 1, n), 0)))
    with pytest.raises(Exception, match="MUNTIN_NEGATIVE_FRAME_OFFSET"):
        rows.selectExpr("sum(x) OVER (ORDER BY at ROWS n - 1 PRECEDING)").collect()
