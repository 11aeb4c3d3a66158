"""Reads the tables of docs/ that tests run: their rows, and the names that their pages define."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from test_docs import examples

Names = dict[str, Any]

CODE = re.compile(r"`([^`]+)`")
QUERY = re.compile(r"\s*(SELECT|SET)\b")


@dataclass(frozen=True)
class Cells:
    """The cells of a row of a table, and its place."""

    page: str
    line: int
    cells: list[str]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    def code(self, column: int) -> list[str]:
        return CODE.findall(self.cells[column])


def rows(page: Path, head: str) -> Iterator[Cells]:
    """Return the rows of all tables of a page that have this head."""
    in_table = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line == head:
            in_table = True
        elif not line.startswith("|"):
            in_table = False
        elif in_table and not line.startswith("|--"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            assert len(cells) == head.count("|") - 1, f"{page.name}:{number}"
            yield Cells(page.name, number, cells)


def prepared(page: Path, spark: SparkSession) -> Names:
    """Run the blocks of a page without output, and return the names that they define."""
    names: Names = {"__name__": "__main__", "spark": spark}
    for example in examples(page):
        if example.prints is not None or example.language == "scala":
            continue
        if example.language == "sql":
            spark.sql(example.code)
        else:
            exec(compile(example.code, str(example), "exec"), names)
    return names


def evaluated(code: str, names: Names) -> Any:
    """Evaluate SQL or Python: the result is a DataFrame, a column, or another value."""
    return names["spark"].sql(code) if QUERY.match(code) else eval(code, names)
