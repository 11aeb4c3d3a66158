"""Exponentially weighted statistics equal pandas, for every argument, and in its API on Spark."""

from __future__ import annotations

import math
import random
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import muntin as mt
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from older import pandas_api
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession, Window

RATES: list[dict[str, float]] = [
    {"half_life": 1.5},
    {"span": 4.0},
    {"com": 0.7},
    {"alpha": 0.25},
    {"alpha": 1.0},
]


@pytest.fixture(scope="module")
def series() -> pd.DataFrame:
    """Rows of two keys at irregular times, with missing values at the beginning and in sequence."""
    rng = random.Random(7)
    start, rows = datetime(2026, 1, 1), []
    for n in range(120):
        start += timedelta(seconds=rng.choice([0, 1, 5, 600]))
        missing = n in (0, 1, 2) or 40 <= n < 46 or rng.random() < 0.2
        x = math.nan if missing else rng.gauss(100, 3)
        y = math.nan if rng.random() < 0.1 else rng.gauss(0, 1)
        rows.append((n, "ab"[n % 2], start, x, y))
    return pd.DataFrame(rows, columns=["id", "k", "at", "x", "y"])


@pytest.fixture(scope="module")
def table(spark: SparkSession, series: pd.DataFrame) -> DataFrame:
    rows = [
        (n, k, at.to_pydatetime(), *(None if math.isnan(v) else v for v in (x, y)))
        for n, k, at, x, y in series.itertuples(index=False)
    ]
    return spark.createDataFrame(rows, "id int, k string, at timestamp, x double, y double")


def pandas(series: pd.DataFrame, statistic: str, **how: Any) -> list[float]:
    """Return the results of pandas for each key, in the order of the rows."""
    named = {{"half_life": "halflife"}.get(k, k): v for k, v in how.items() if k != "bias"}
    bias = {"bias": how["bias"]} if "bias" in how else {}
    found = []
    for _, part in series.groupby("k"):
        if "times" in named:
            named["times"] = part["at"]
        ewm = part["x"].ewm(**named)
        both = {"cov": [part["y"]], "corr": [part["y"]]}.get(statistic, [])
        found.append(getattr(ewm, statistic)(*both, **bias))
    return [float(v) for v in pd.concat(found).sort_index()]


def muntin(table: DataFrame, statistic: str, **how: Any) -> list[float]:
    return muntins(table, [(statistic, how)])[0]


def muntins(table: DataFrame, asked: list[tuple[str, dict[str, Any]]]) -> list[list[float]]:
    """Compute all statistics in one query, because planning takes longer than execution."""
    window = Window.partitionBy("k").orderBy("id")

    def column(number: int, statistic: str, how: dict[str, Any]) -> Column:
        columns = ["x", "y"] if statistic in ("cov", "corr") else ["x"]
        function: Any = getattr(mt, f"ewm_{statistic}")
        result: Column = function(*columns, **how).over(window)
        return result.alias(f"r{number}")

    columns = [column(number, *one) for number, one in enumerate(asked)]
    rows = table.select("id", *columns).orderBy("id").collect()
    return [
        [math.nan if row[n] is None else row[n] for row in rows] for n in range(1, len(asked) + 1)
    ]


def alike(found: list[float], wanted: list[float]) -> None:
    assert len(found) == len(wanted)
    for n, (a, b) in enumerate(zip(found, wanted, strict=True)):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9, nan_ok=True), f"row {n}"


@pytest.mark.once
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_every_argument_equals_pandas(
    table: DataFrame, series: pd.DataFrame, rate: dict[str, float]
) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []
    flags = [*product([True, False], [True, False], [1]), (True, False, 4)]
    for adjust, ignore_na, periods in flags:
        how = {**rate, "adjust": adjust, "ignore_na": ignore_na, "min_periods": periods}
        asked += [("mean", how), ("cov", how), ("std", {**how, "bias": False})]
        asked += [("var", {**how, "bias": bias}) for bias in (False, True)]
        if rate != {"alpha": 1.0}:  # pandas divides two rounded numbers
            asked.append(("corr", how))
    for (statistic, how), found in zip(asked, muntins(table, asked), strict=True):
        alike(found, pandas(series, statistic, **how))


@pytest.mark.once
def test_by_time_equals_pandas(table: DataFrame, series: pd.DataFrame) -> None:
    for seconds in (1, 30, 3600):
        found = muntin(table, "mean", half_life=timedelta(seconds=seconds), times="at")
        alike(found, pandas(series, "mean", half_life=f"{seconds}s", times=True))
        text = muntin(table, "mean", half_life=f"{seconds} seconds", times="at")
        assert repr(text) == repr(found)


@pytest.mark.once
def test_by_time_equals_polars(table: DataFrame, series: pd.DataFrame) -> None:
    for seconds in (1, 30, 3600):
        how = {"half_life": f"{seconds} seconds", "times": "at", "adjust": False}
        wanted = [math.nan] * len(series)
        for _, part in series.dropna(subset=["x"]).groupby("k"):
            by = pl.from_pandas(part[["at", "x"]])
            means = by.select(pl.col("x").ewm_mean_by("at", half_life=f"{seconds}s"))["x"]
            for row, mean in zip(part["id"], means, strict=True):
                wanted[row] = mean
        found = muntin(table, "mean", **how)
        for n, x in enumerate(series["x"]):
            if not math.isnan(x):
                assert found[n] == pytest.approx(wanted[n], rel=1e-9), f"row {n}"


@pytest.mark.filterwarnings("ignore")
def test_the_pandas_api_on_spark(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    with pandas_api(spark):
        weighs_as_pandas(capsys)


def weighs_as_pandas(capsys: pytest.CaptureFixture[str]) -> None:
    ps = pytest.importorskip("pyspark.pandas")
    values = [None, 1.0, 5.0, None, 2.0, 2.5, None, None, 7.0]
    plain, ours = pd.Series(values, name="x"), ps.Series(values, name="x")
    for how in ({"com": 0.3}, {"span": 4, "min_periods": 3}, {"halflife": 2, "ignore_na": True}):
        wanted = plain.ewm(**how).mean()
        found = ours.ewm(**how).mean()
        found.to_frame().spark.explain()
        printed = capsys.readouterr().out
        assert "MuntinWindow" in printed
        assert " Window " not in printed
        alike(list(found.to_pandas().sort_index()), list(wanted))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({}, "MUNTIN_EWM_REQUIRES_ONE_DECAY"),
        ({"span": 3.0, "alpha": 0.5}, "MUNTIN_EWM_REQUIRES_ONE_DECAY"),
        ({"alpha": 0.0}, "above 0, 1 at most"),
        ({"alpha": 1.5}, "1.5"),
        ({"span": 0.5}, "1 or more"),
        ({"com": -1.0}, "0 or more"),
        ({"half_life": 0}, "above 0"),
        ({"half_life": "1 hour"}, "times => at"),
        ({"half_life": 3, "times": "at"}, "INTERVAL '1' HOUR"),
        ({"half_life": "1 month", "times": "at"}, "of days or less"),
        ({"alpha": 0.5, "times": "at"}, "MUNTIN_EWM_BY_TIME_REQUIRES_HALF_LIFE"),
        ({"half_life": "1 hour", "times": "k"}, "whole number"),
        (
            {"half_life": "1 hour", "times": "at", "ignore_na": True},
            "MUNTIN_IGNORE_NA_BY_TIME",
        ),
        ({"alpha": 0.5, "min_periods": 0}, "min_periods"),
    ],
    ids=str,
)
def test_rejected_arguments(table: DataFrame, how: dict[str, Any], says: str) -> None:
    with pytest.raises(AnalysisException) as error:
        muntin(table, "mean", **how)
    assert says in str(error.value)


def test_the_mean_of_a_string_is_rejected(table: DataFrame) -> None:
    with pytest.raises(AnalysisException, match="MUNTIN_INVALID_ARGUMENT_TYPE"):
        table.select(mt.ewm_mean("k", alpha=0.5)).collect()
