from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import muntin as mt
import pytest
from conditions import raises
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from website import pictures


def drawn(picture: mt.Picture) -> list[str]:
    return [line.rsplit("  ", 1)[1].replace(" ", "") for line in str(picture).splitlines()]


def labels(picture: mt.Picture) -> list[str]:
    return [line.rsplit("  ", 1)[0].strip() for line in str(picture).splitlines()]


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(n, n % 2 == 0) for n in range(4)], "x int, valid boolean")


@pytest.mark.smoke
def test_rows_of_windows_with_an_order(rows: DataFrame) -> None:
    order = mt.over(order_by="x")
    assert drawn(mt.picture(rows, F.sum("x").over(order.rowsBetween(-1, 1)))) == [
        "◉●··",
        "●◉●·",
        "·●◉●",
        "··●◉",
    ]
    valid = mt.sliding(F.sum("x"), 1, F.col("valid")).over(order)
    assert drawn(mt.picture(rows, valid)) == ["◉···", "●○··", "··◉·", "··●○"]
    around = mt.framed(F.count_distinct("x"), exclude="current row")
    around = around.over(order.rowsBetween(-1, 1))
    assert drawn(mt.picture(rows, around)) == ["○●··", "●○●·", "·●○●", "··●○"]
    filtered = F.expr("sum(x) FILTER (WHERE valid) OVER (ORDER BY x)")
    assert drawn(mt.picture(rows, filtered, rows=3)) == ["◉··", "●○·", "●·◉"]


@pytest.mark.smoke
def test_rows_of_windows_of_groups(rows: DataFrame) -> None:
    pairs = mt.picture(rows, mt.field_window("x", 2, 1), at="x")
    assert labels(pairs) == ["0 to 2", "1 to 3", "2 to 4", "3 to 5"]
    assert drawn(pairs) == ["●●··", "·●●·", "··●●", "···●"]
    assert "<rect" in pairs.svg
    both = mt.picture(rows, lambda sample: sample.groupBy("valid", mt.field_window("x", 2, 2)))
    assert sorted(zip(labels(both), drawn(both), strict=True)) == [
        ("False, 0 to 2", "·●··"),
        ("False, 2 to 4", "···●"),
        ("True, 0 to 2", "●···"),
        ("True, 2 to 4", "··●·"),
    ]
    before = mt.picture(
        rows, lambda sample: mt.window_by(sample, sample, time="x", start=F.col("x") - 1, end="x")
    )
    assert drawn(before) == ["◉···", "●◉··", "·●◉·", "··●◉"]


def test_a_picture_is_an_svg(rows: DataFrame, tmp_path: Path) -> None:
    picture = mt.picture(
        rows.selectExpr("x", "'<' AS less"), F.sum("x").over(mt.over(order_by="x"))
    )
    assert picture._repr_svg_() == picture.svg
    picture.save(tmp_path / "window.svg")
    assert (tmp_path / "window.svg").read_text(encoding="utf-8") == picture.svg
    assert picture.svg.count('stroke="#e07b39"') == 4
    labels = mt.picture(rows.selectExpr("'<' AS less"), lambda sample: sample.groupBy("less"))
    assert ">&lt;</text>" in labels.svg


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (lambda: {"df": 3}, TypeError, "`df` of `picture` is `3`.*Expected a DataFrame"),
        (lambda: {"window": "x"}, TypeError, "`window` of `picture` is `'x'`"),
        (lambda: {"window": lambda rows: rows}, TypeError, "Expected a function that returns"),
        (lambda: {"window": F.sum("x")}, AnalysisException, "an aggregate"),
        (lambda: {"window": F.sum("y").over(mt.over())}, AnalysisException, "`y`"),
        (lambda: {"window": mt.field_window("x", 0)}, AnalysisException, "size"),
        (lambda: {"at": 3}, TypeError, "`at` of `picture` is `3`"),
        (lambda: {"at": "name"}, TypeError, "Expected a column of times or numbers"),
        (lambda: {"at": "gap"}, ValueError, "MUNTIN_PICTURE_OF_NULL.*in row 1"),
        (lambda: {"rows": True}, TypeError, "`rows` of `picture` is `True`"),
        (lambda: {"rows": 0}, ValueError, "`rows` of `picture` is `0`"),
    ],
)
def test_windows_that_cannot_be_drawn(
    rows: DataFrame, change: Callable[[], dict[str, Any]], kind: type[Exception], message: str
) -> None:
    df = rows.selectExpr("x", "'a' AS name", "nullif(x, 1) AS gap")
    given: dict[str, Any] = {"df": df, "window": F.sum("x").over(mt.over(order_by="x"))}
    with pytest.raises(kind, match=message):
        mt.picture(**{**given, **change()})


def test_streams_and_empty_tables_are_rejected(spark: SparkSession, rows: DataFrame) -> None:
    total = F.sum("x").over(mt.over(order_by="x"))
    with raises(ValueError, "MUNTIN_PICTURE_WITHOUT_ROWS"):
        mt.picture(rows.where("x > 9"), total)
    stream = spark.readStream.format("rate").load().selectExpr("value AS x")
    with raises(ValueError, "MUNTIN_PICTURE_OF_STREAM"):
        mt.picture(stream, total)


@pytest.mark.once
def test_the_pictures_of_the_pages_are_current(spark: SparkSession) -> None:
    pages = {page.read_text(encoding="utf-8") for page in pictures.IMAGES.parent.glob("*.md")}
    for name, picture in pictures.pictures(spark).items():
        file = pictures.file(name)
        current = file.read_text(encoding="utf-8") == pictures.drawn(picture)
        assert current, f"run: make pictures ({name})"
        assert any(re.search(rf"!\[.*\]\(images/{file.name}\)", page) for page in pages), name
