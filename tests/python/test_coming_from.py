"""The tables of docs/coming-from: each query here runs, and equals the query there.

If the page's system is in the environment (pandas, Polars, DuckDB, Spark itself), the test also
runs the query there, and compares the last columns of both. If the third column begins with
"Other results", the results must differ.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from installed import ROOT
from page_tables import Cells, Names, evaluated, prepared, rows
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.packaging  # once is enough: the cheat sheet runs over Connect, too

FOLDER = ROOT / "docs/coming-from"
PAGES = sorted(page.name for page in FOLDER.glob("*.md") if page.name != "README.md")
HEAD = "| query there | query here | difference |"


def plain(value: Any) -> Any:
    """Normalize a value for comparison: NaN is null, whole numbers are ints, lists are sorted."""
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Decimal | int | float):
        return round(float(value), 9)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat()
    return str(value)


def of_spark(code: str, names: Names) -> list[Any]:
    result = evaluated(code, names)
    if not isinstance(result, DataFrame):  # a column
        result = names["df"].select("sensor", "at", result.alias("r")).orderBy("sensor", "at")
    return [plain(row[-1]) for row in result.collect()]


def of_pandas(code: str, names: Names) -> list[Any]:
    result = eval(code, names)
    last = result.iloc[:, -1] if isinstance(result, pd.DataFrame) else result
    return [plain(value) for value in last.tolist()]


def of_polars(code: str, names: Names) -> list[Any]:
    result = eval(code, names)
    if isinstance(result, pl.Expr):
        result = names["frame"].select(result)
    return [plain(value) for value in result.to_series(result.width - 1)]


def of_duckdb(code: str, names: Names) -> list[Any]:
    return [plain(row[-1]) for row in names["duck"].sql(code).fetchall()]


THERE: dict[str, Callable[[str, Names], list[Any]]] = {
    "pandas.md": of_pandas,
    "polars.md": of_polars,
    "duckdb.md": of_duckdb,
    "plain-spark.md": of_spark,
}


def faults(row: Cells, names: Names) -> Iterator[str]:
    there, here, (_, _, differs) = row.code(0), row.code(1), row.cells
    if not here:
        yield "nothing of it is run"
    is_run = row.page in THERE
    expected = [THERE[row.page](code, names) for code in there] if is_run else []
    for code in here:
        found = of_spark(code, names)
        if not found:
            yield f"{code} has no rows"
        for result in expected:
            if (found == result) == differs.startswith("Other results"):
                yield f"{code}\n  is {found}\n  there {result}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", PAGES)
def test_every_row_runs(spark: SparkSession, page: str) -> None:
    names = prepared(FOLDER / page, spark)
    table = list(rows(FOLDER / page, HEAD))
    assert len(table) >= 5
    found = []
    for row in table:
        try:
            found += [f"{row}: {fault}" for fault in faults(row, names)]
        except Exception as error:
            found.append(f"{row}: {row.code(1)}\n{error}")
    assert not found, "\n\n".join(found)


def test_the_list_of_pages_is_complete() -> None:
    index = (FOLDER / "README.md").read_text()
    assert [page for page in PAGES if f"({page})" not in index] == []
