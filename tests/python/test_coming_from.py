"""The tables of docs/coming-from: what is said here runs, and gives what is said there.

Where the page's system is in the environment (pandas, Polars, DuckDB, Spark itself), what is said there
runs, too. The last columns of both are compared; a row that begins with "Other results" must differ.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import muntin as mt
import pandas as pd
import polars as pl
import pytest
from installed import ROOT
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from test_docs import examples

FOLDER = ROOT / "docs/coming-from"
PAGES = sorted(page.name for page in FOLDER.glob("*.md") if page.name != "README.md")
HEAD = "| said there | said here | what differs |"
CODE = re.compile(r"`([^`]+)`")
QUERY = re.compile(r"\s*(SELECT|WITH|VALUES)\b")

Names = dict[str, Any]


@dataclass(frozen=True)
class Row:
    line: int
    there: list[str]
    here: list[str]
    differs: str


def rows(page: Path) -> Iterator[Row]:
    in_table = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line == HEAD:
            in_table = True
        elif not line.startswith("|"):
            in_table = False
        elif in_table and not line.startswith("|--"):
            there, here, differs = (cell.strip() for cell in line.strip("|").split(" | "))
            yield Row(number, CODE.findall(there), CODE.findall(here), differs)


def prepared(page: Path, spark: SparkSession) -> Names:
    """Run the blocks of a page that print nothing, and give the names that they define."""
    names: Names = {"spark": spark, "mt": mt, "F": F, "Window": Window, "pd": pd, "pl": pl}
    names |= {"timedelta": datetime.timedelta}
    for example in examples(page):
        if example.prints is not None or example.language == "scala":
            continue
        if example.language == "sql":
            spark.sql(example.code)
        else:
            exec(compile(example.code, str(example), "exec"), names)
    return names


def plain(value: Any) -> Any:
    """Give a value as all systems have it: null for NaN, whole numbers as such, lists sorted."""
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
    spark = names["spark"]
    if QUERY.match(code):
        return [plain(row[-1]) for row in spark.sql(code).collect()]
    result = eval(code, names)
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


def faults(row: Row, page: str, names: Names) -> Iterator[str]:
    if not row.here:
        yield "nothing of it is run"
    expected = [THERE[page](code, names) for code in row.there] if page in THERE else []
    for code in row.here:
        found = of_spark(code, names)
        if not found:
            yield f"{code} has no rows"
        for result in expected:
            if (found == result) == row.differs.startswith("Other results"):
                yield f"{code}\n  is {found}\n  there {result}"


@pytest.mark.parametrize("page", PAGES)
def test_every_row_runs(spark: SparkSession, page: str) -> None:
    names = prepared(FOLDER / page, spark)
    table = list(rows(FOLDER / page))
    assert len(table) >= 5
    found = []
    for row in table:
        try:
            found += [f"{page}:{row.line}: {fault}" for fault in faults(row, page, names)]
        except Exception as error:
            found.append(f"{page}:{row.line}: {row.here}\n{error}")
    assert not found, "\n\n".join(found)


def test_the_list_of_pages_has_each() -> None:
    index = (FOLDER / "README.md").read_text()
    assert [page for page in PAGES if f"({page})" not in index] == []
