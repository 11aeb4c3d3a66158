from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Literal

import muntin as mt
import pandas as pd  # type: ignore[import-untyped]
import pytest
from conditions import raises
from older import pandas_api
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

ORIGIN = datetime(2026, 1, 1, tzinfo=UTC)


def _rows(seed: int, count: int) -> pd.DataFrame:
    """Return rows of a few keys, with unique pairs of key and time."""
    drawn = random.Random(seed)
    keys = {(drawn.choice("abc"), drawn.randrange(400)) for _ in range(count)}
    return pd.DataFrame(
        [(k, ORIGIN + timedelta(seconds=t), i) for i, (k, t) in enumerate(sorted(keys))],
        columns=["k", "at", f"x{seed}"],
    ).sort_values("at", kind="stable")


@pytest.mark.once
@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("tolerance", [None, timedelta(seconds=3)])
def test_equals_pandas_merge_asof(
    spark: SparkSession,
    direction: Literal["backward", "forward", "nearest"],
    tolerance: timedelta | None,
) -> None:
    left, right = _rows(1, 60), _rows(2, 90)
    for strict in (False, True):
        merged = pd.merge_asof(
            left,
            right,
            on="at",
            by="k",
            direction=direction,
            tolerance=None if tolerance is None else pd.Timedelta(tolerance),
            allow_exact_matches=not strict,
        )
        joined = mt.asof_join(
            spark.createDataFrame(left),
            spark.createDataFrame(right),
            "at",
            by="k",
            direction=direction,
            tolerance=tolerance,
            strict=strict,
        )
        assert joined.columns == ["k", "at", "x1", "at_right", "x2"]
        found = {row["x1"]: row["x2"] for row in joined.collect()}
        wanted = {
            int(x1): None if pd.isna(x2) else int(x2)
            for x1, x2 in zip(merged["x1"], merged["x2"], strict=True)
        }
        assert found == wanted


@pytest.fixture
def trades(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(
        [(1, "x", 4), (2, "x", 9), (3, "y", 2)], "n int, `s.k` string, t int"
    )


@pytest.fixture
def quotes(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(
        [("x", 0, 9), ("x", 5, 10), ("y", 4, 50)], "of string, since int, N int"
    )


@pytest.mark.smoke
def test_other_names(trades: DataFrame, quotes: DataFrame) -> None:
    joined = mt.asof_join(trades, quotes, ("t", "since"), by=("s.k", "of"), how="inner")
    assert joined.columns == ["n", "s.k", "t", "of", "since", "N_right"]
    assert [row["N_right"] for row in joined.orderBy("n").collect()] == [9, 10]
    kept = mt.asof_join(trades, quotes, ("t", "since"), by=[("s.k", "of")], how="left_anti")
    assert [tuple(row) for row in kept.collect()] == [(3, "y", 2)]


@pytest.mark.smoke
def test_the_join_condition(trades: DataFrame, quotes: DataFrame) -> None:
    joined = trades.join(quotes, mt.asof(trades.t, quotes.since, "nearest"), "left")
    found = joined.orderBy(trades.n).select(quotes.since).collect()
    assert [row[0] for row in found] == [4, 5, 0]
    with raises(AnalysisException, "MUNTIN_MISPLACED_AS_OF"):
        trades.where(mt.asof("t", "n")).collect()


def test_invalid_arguments(trades: DataFrame, quotes: DataFrame) -> None:
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="right", argument="5"):
        mt.asof_join(trades, 5, "t")  # type: ignore[arg-type]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="on", argument="5"):
        mt.asof_join(trades, quotes, 5)  # type: ignore[arg-type]
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="by", argument="('a',)"):
        mt.asof_join(trades, quotes, "t", by=("a",))
    with raises(ValueError, "MUNTIN_INVALID_ARGUMENT_VALUE", parameter="how", argument="'right'"):
        mt.asof_join(trades, quotes, ("t", "since"), how="right")  # type: ignore[arg-type]
    with raises(ValueError, "MUNTIN_DUPLICATE_COLUMN_AFTER_JOIN", column="N", renamed="N"):
        mt.asof_join(trades, quotes, ("t", "since"), suffix="")
    with raises(AnalysisException, "MUNTIN_INVALID_ARGUMENT_VALUE", parameter="tolerance"):
        _ = mt.asof_join(trades, quotes, ("t", "since"), tolerance="1 minute").schema


def test_names_follow_the_case_sensitivity_of_the_session(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, 2, 10)], "k int, t int, v int")
    right = spark.createDataFrame([(1, 1, 7, 8)], "k int, u int, K int, V int")
    times = spark.createDataFrame([(1, 1, 5)], "k int, t int, T int")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        joined = mt.asof_join(left, right, ("t", "u"), by="k")
        assert joined.columns == ["k", "t", "v", "u", "K", "V"]
        assert [tuple(row) for row in joined.collect()] == [(1, 2, 10, 1, 7, 8)]
        by_both = mt.asof_join(left, right, ("t", "u"), by=[("k", "k"), ("k", "K")])
        assert by_both.columns == ["k", "t", "v", "u", "K", "V"]
        assert mt.asof_join(left, times, "t", by="k").columns == ["k", "t", "v", "t_right", "T"]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")
    other = spark.createDataFrame([(1, 1, 8)], "K int, u int, V int")
    joined = mt.asof_join(left, other, ("t", "u"), by="k")
    assert joined.columns == ["k", "t", "v", "u", "V_right"]


@pytest.mark.filterwarnings("ignore")
def test_merge_asof_of_the_pandas_api(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    with pandas_api(spark):
        merges_by_time(capsys)


def merges_by_time(capsys: pytest.CaptureFixture[str]) -> None:
    ps = pytest.importorskip("pyspark.pandas")
    left, right = (
        rows.assign(at=rows["at"].dt.tz_localize(None)) for rows in (_rows(3, 20), _rows(4, 30))
    )
    merged = ps.merge_asof(ps.from_pandas(left), ps.from_pandas(right), on="at", by="k")
    merged.spark.explain()
    assert "MuntinAsOfJoin" in capsys.readouterr().out
    wanted = pd.merge_asof(left, right, on="at", by="k")
    found = merged.to_pandas().set_index("x3").loc[wanted["x3"], "x4"]
    assert found.isna().tolist() == wanted["x4"].isna().tolist()
    assert found.dropna().tolist() == wanted["x4"].dropna().tolist()
