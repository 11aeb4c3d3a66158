"""Every function that accepts a duration accepts text, as in docs/bounds.md."""

from __future__ import annotations

from datetime import datetime

import muntin as mt
import pytest
from installed import ROOT
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from codegen.definition import all_files

DURATIONS = (ROOT / "docs/bounds.md").read_text().partition("\n## Durations\n")[2]

# Calls by function and argument, with the text of two minutes.
QUERIES = {
    ("asof", "tolerance"): "SELECT b.x FROM t JOIN t b ON asof(t.at, b.at, 'backward', {}, true)",
    ("counter_rate", "unit"): "SELECT counter_rate(x, at, {}) FROM t",
    ("field_window", "size"): "SELECT count(*) FROM t GROUP BY field_window(at, {}, 60)",
    ("field_window", "advance"): "SELECT count(*) FROM t GROUP BY field_window(at, 180, {})",
    ("field_window", "offset"): "SELECT count(*) FROM t GROUP BY field_window(at, 180, 180, {})",
    ("field_window", "every"): "SELECT field_window.emit, count(*) FROM t"
    " GROUP BY field_window(at, 180, 180, every => {})",
    ("fill", "max_gap"): "SELECT fill(nullif(x, 1), 'last', {}) OVER (ORDER BY at) FROM t",
    ("rate", "unit"): "SELECT rate(at, at + INTERVAL 1 MINUTE, {}) FROM t",
    ("resample", "every"): "SELECT * FROM resample(TABLE(t), 'at', {}, fill => 'last')",
    (
        "resample",
        "max_gap",
    ): "SELECT * FROM resample(TABLE(t), 'at', 30, fill => 'last', max_gap => {})",
    ("framed", "ttl"): "SELECT framed(sum(x), ttl => {}) OVER (ORDER BY at) FROM t",
    ("since", "ttl"): "SELECT since(sum(x), x = 1, ttl => {}) OVER (ORDER BY at) FROM t",
    ("sliding", "ttl"): "SELECT sliding(sum(x), 9, partial => true, ttl => {})"
    " OVER (ORDER BY at) FROM t",
    ("session", "gap"): "SELECT session(sum(x), {}) OVER (ORDER BY at) FROM t",
    ("session_number", "gap"): "SELECT session_number({}) OVER (ORDER BY at) FROM t",
    ("sessions", "gap"): "SELECT count(*) FROM t GROUP BY sessions(at, {})",
    ("tumble", "size"): "SELECT count(*) FROM t GROUP BY tumble(at, {})",
    ("tumble", "offset"): "SELECT tumble.start, count(*) FROM t GROUP BY tumble(at, 600, {})",
    ("hop", "slide"): "SELECT count(*) FROM t GROUP BY hop(at, {}, 240)",
    ("hop", "size"): "SELECT count(*) FROM t GROUP BY hop(at, 60, {})",
    ("hop", "offset"): "SELECT hop.start, count(*) FROM t GROUP BY hop(at, 300, 600, {})",
    ("time_steps", "every"): "SELECT x, time_steps(at, at + INTERVAL 5 MINUTES, {}) FROM t",
} | {
    (f"ewm_{name}", "half_life"): f"SELECT ewm_{name}({values}, half_life => {{}}, times => at)"
    " OVER (ORDER BY at) FROM t"
    for name, values in [
        ("mean", "x"),
        ("var", "x"),
        ("std", "x"),
        ("cov", "x, x"),
        ("corr", "x, x"),
    ]
}


def arguments() -> set[tuple[str, str]]:
    return {
        (file.name, parameter.name)
        for file in all_files()
        for parameter in file.of("sql").parameters
        if parameter.kind in ("step", "unit")
    }


@pytest.mark.packaging
def test_each_argument_is_tested_and_documented() -> None:
    assert arguments() == QUERIES.keys()
    for function, argument in QUERIES:
        items = [item for item in DURATIONS.split("\n- ") if f"`{function}`" in item]
        assert any(f"`{argument}`" in item for item in items), (function, argument)


@pytest.fixture(scope="module")
def times(spark: SparkSession) -> DataFrame:
    seconds = spark.sql("SELECT explode(array(0, 60, 180, 420)) AS s")
    times = seconds.selectExpr("timestamp_seconds(s) AS at", "DOUBLE(s DIV 60) AS x")
    times.createOrReplaceTempView("t")
    return times


@pytest.mark.once
@pytest.mark.usefixtures("times")
def test_text_equals_an_interval(spark: SparkSession) -> None:
    for query in QUERIES.values():
        text, interval = (
            sorted(str(tuple(row)) for row in spark.sql(query.format(two)).collect())
            for two in ("'2 minutes'", "INTERVAL 2 MINUTES")
        )
        assert text, query
        assert text == interval, query


@pytest.mark.once
def test_python_accepts_text(spark: SparkSession, times: DataFrame) -> None:
    text = mt.over(order_by="at", range=("-2 minutes", "0 seconds"))
    sums = times.select(
        mt.rolling(F.sum("x"), "2 minutes", order_by="at"), F.sum("x").over(text)
    ).collect()
    assert sorted(sums) == [(0.0, 0.0), (1.0, 1.0), (4.0, 4.0), (7.0, 7.0)]
    found = mt.asof_join(times, times, "at", tolerance="2 minutes", strict=True)
    assert sorted(found.dropna().collect(), key=str)[0]["x_right"] == 0.0
    start, stop = datetime(2026, 1, 1), datetime(2026, 1, 1, 0, 5)
    assert mt.clock(spark, start, stop, "2 minutes").count() == 3
