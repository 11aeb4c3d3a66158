"""EXPLAIN shows the reason why Spark runs a window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pytest
from older import is_before
from pyspark.sql import Column, SparkSession, Window
from pyspark.sql import functions as F

pytestmark = pytest.mark.skipif(
    is_before("4.0"), reason="Spark has no providers of EXPLAIN before 4.0"
)

pandas_udf: Any = F.pandas_udf  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def provider(spark: SparkSession) -> Iterator[None]:
    name = "spark.sql.extendedExplainProviders"
    spark.conf.set(name, "org.apache.spark.sql.muntin.ExplainWindows")
    yield
    spark.conf.unset(name)


def explained(capsys: pytest.CaptureFixture[str], spark: SparkSession, *columns: Column) -> str:
    rows = spark.range(3).select("id", F.struct("id").alias("both"))
    rows.select(*columns).explain()
    shown = capsys.readouterr().out
    _, title, reasons = shown.partition("== Extended Information (Muntin) ==\n")
    assert title, shown
    return reasons.strip()


def in_frame(rows: pd.DataFrame) -> float:
    return float(rows["id"].sum())


def in_series(values: pd.Series) -> float:
    return float(values.sum())


def test_functions_in_python(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    of_frame, of_series = pandas_udf(in_frame, "double"), pandas_udf(in_series, "double")
    window = Window.orderBy("id").rowsBetween(-1, 0)
    reasons = explained(capsys, spark, of_frame("both").over(window))
    assert reasons.startswith("Spark runs in_frame(both) OVER (ORDER BY id ")
    assert reasons.endswith("): its function in Python takes or returns a pandas DataFrame.")
    columns = [of_series("id").over(window), F.sum("id").over(window)]
    assert explained(capsys, spark, *columns) == "No window is left to Spark."
    spark.conf.set("spark.muntin.over.enabled", "false")
    try:
        lines = explained(capsys, spark, *columns).splitlines()
        assert len(lines) == 2
        assert all(line.endswith("`spark.muntin.over.enabled` is `false`.") for line in lines)
    finally:
        spark.conf.unset("spark.muntin.over.enabled")
