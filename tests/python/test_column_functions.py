"""The module muntin.functions: the functions that return a Column."""

from __future__ import annotations

import muntin as mt
import pytest
from muntin import functions as MF
from pyspark.sql import Column, SparkSession, Window
from pyspark.sql import functions as F


@pytest.mark.packaging  # once is enough
def test_the_module_has_each_function_that_returns_a_column() -> None:
    columns = [
        name
        for name in mt.__all__
        if getattr(getattr(mt, name), "__annotations__", {}).get("return") == "Column"
    ]
    assert len(columns) > 30
    assert MF.__all__ == columns
    public = {name for name in vars(MF) if name.isidentifier() and name[0] != "_"}
    assert public == set(columns)
    for name in columns:
        assert getattr(MF, name) is getattr(mt, name)


def test_the_functions_work_like_pyspark_functions(spark: SparkSession) -> None:
    two: Column = MF.sliding(F.sum("id"), 2).over(Window.orderBy("id"))
    three: Column = MF.rolling(F.sum("id"), 3, order_by="id")
    rows = spark.range(4).select(two, three).collect()
    assert [tuple(row) for row in rows] == [(None, None), (1, None), (3, 3), (5, 6)]
