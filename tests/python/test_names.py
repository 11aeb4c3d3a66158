"""Users' Python functions with the names of Muntin functions: queries call the users' functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import muntin as mt
import pandas as pd  # type: ignore[import-untyped]
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

DEFINITIONS = Path(__file__).parents[2] / "codegen" / "definitions"
NAMES = sorted(definition.stem for definition in DEFINITIONS.glob("*.toml"))


@contextmanager
def registered(spark: SparkSession, name: str, function: object) -> Iterator[None]:
    spark.udf.register(name, function)  # type: ignore[arg-type]
    try:
        yield
    finally:
        spark.sql(f"DROP TEMPORARY FUNCTION {name}")


def made(kind: str) -> object:
    # Functions in a function: Spark's workers do not have this module.
    def plain(a: float, b: float) -> str:
        return f"user {a} {b}"

    def vectorized(a: pd.Series, b: pd.Series) -> pd.Series:
        return "user " + a.astype(str) + " " + b.astype(str)

    return plain if kind == "udf" else F.pandas_udf(vectorized, "string")  # type: ignore[attr-defined]


def test_the_list_of_names_is_complete(spark: SparkSession) -> None:
    shown = spark.sql("SHOW FUNCTIONS LIKE 'muntin.*'").collect()
    # These need a stream or a table; the guides have their examples.
    of_streams = ["bootstrap", "change", "compare", "pending", "repartition", "restore", "state"]
    names = [*NAMES, *of_streams, "affected", "refresh"]
    # Spark 3.5 writes the catalog in front.
    found = sorted(row[0].replace("spark_catalog.", "") for row in shown)
    assert found == sorted(f"muntin.{name}" for name in names)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["udf", "pandas_udf"])
@pytest.mark.parametrize("name", NAMES)
def test_a_user_function_wins(spark: SparkSession, name: str, kind: str) -> None:
    with registered(spark, name, made(kind)):
        assert spark.sql(f"SELECT {name}(1D, 2D)").first() == ("user 1.0 2.0",)
        called = F.call_function(name, F.lit(1.0), F.lit(2.0))
        assert spark.range(1).select(called, F.expr(f"{name}(1D, 2D)")).first() == (
            "user 1.0 2.0",
            "user 1.0 2.0",
        )


def test_functions_of_mt_are_always_muntins(spark: SparkSession) -> None:
    rows = spark.range(4).select(F.col("id").alias("t"), (F.col("id") + 2).alias("e"))
    with (
        registered(spark, "nth", made("udf")),
        registered(spark, "rate", made("udf")),
        registered(spark, "completeness", made("udf")),
        registered(spark, "sliding", made("udf")),
        registered(spark, "row_time", made("udf")),
        registered(spark, "window_by", made("udf")),
        registered(spark, "field_window", made("udf")),
    ):
        groups = rows.agg(mt.nth("t", 2), mt.rate("t", "e"), mt.completeness("t"))
        assert groups.first() == (1, 2.0, 1.0)
        two = mt.rolling(F.sum("t"), 2, order_by="t")
        last = mt.sliding(F.sum("t"), 2).over(mt.over(order_by="t"))
        assert [tuple(row) for row in rows.select(two, last).collect()] == [
            (None, None),
            (1, 1),
            (3, 3),
            (5, 5),
        ]
        counted = rows.groupBy(mt.field_window("t", 2, 2)).count().collect()
        assert sorted(row[1] for row in counted) == [2, 2]
        around = mt.window_by(rows, rows, time="t", start="t", end="e").agg(F.count("*").alias("n"))
        assert sorted(row.n for row in around.collect()) == [1, 2, 3, 3]
