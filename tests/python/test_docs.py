"""The examples of README.md and docs/ print the output below them.

Consecutive code blocks in sql, python and scala all print the text block after them. A block that
is followed by prose, or that creates a view, prepares the next blocks. Each page runs as in a new
Python process, without names and views, so its first blocks contain the imports.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from installed import NOTHING, ROOT, Installed
from older import pandas_api
from pyspark.sql import SparkSession
from test_examples import submit

LANGUAGES = ("sql", "python", "scala")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A block of code and its output; None if the block has no output."""

    page: str
    line: int
    language: str
    code: str
    prints: str | None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}:{self.language}"


def examples(page: Path) -> Iterator[Example]:
    text, name = page.read_text(), str(page.relative_to(ROOT))
    waiting: list[tuple[int, str, str]] = []
    after = 0

    def told(prints: str | None) -> Iterator[Example]:
        for line, language, code in waiting:
            yield Example(name, line, language, code, prints)
        waiting.clear()

    for block in BLOCK.finditer(text):
        if text[after : block.start()].strip():
            yield from told(None)
        after = block.end()
        language, code = block.groups()
        if code.startswith("CREATE "):
            line = text.count("\n", 0, block.start()) + 1
            yield Example(name, line, language, code, None)
        elif language in LANGUAGES:
            waiting.append((text.count("\n", 0, block.start()) + 1, language, code))
        else:
            yield from told(code if language == "text" else None)
    yield from told(None)


PAGES = {
    str(page.relative_to(ROOT)): found
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    if (found := list(examples(page)))
}
PROMPTS = [page for page in sorted((ROOT / "docs").rglob("*.md")) if " >>> " in page.read_text()]


def printed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


# test_kafka runs it, with a broker.
OVER_KAFKA = "docs/kafka.md"


# The examples of functions.md run as doctests, and in SqlFunctionSuite; in Scala below.
@pytest.mark.sampled(2)
@pytest.mark.once  # each function has its doctest, and the cheat sheet is run, over Connect, too
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in ("docs/functions.md", OVER_KAFKA)]
)
def test_sql_and_python(spark: SparkSession, page: str) -> None:
    uses_pandas = any("pyspark.pandas" in example.code for example in PAGES[page])
    with pandas_api(spark) if uses_pandas else contextlib.nullcontext():
        run_page(spark, page)


def run_page(spark: SparkSession, page: str, replaced: Mapping[str, str] = NOTHING) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for view in spark.catalog.listTables():
        spark.catalog.dropTempView(view.name)
    for example in PAGES[page]:
        if example.language == "scala":
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if example.language == "python":
                code = example.code
                for written, value in replaced.items():
                    code = code.replace(written, value)
                exec(compile(code, str(example), "exec"), names)
            elif example.prints is None:
                spark.sql(example.code)
            else:
                spark.sql(example.code).show(truncate=False)
        if example.prints is not None:
            assert printed(untruncated(out.getvalue())) == printed(untruncated(example.prints)), (
                str(example)
            )


@pytest.mark.sampled(2)
@pytest.mark.once
@pytest.mark.parametrize("page", PROMPTS, ids=lambda page: page.name)
@pytest.mark.usefixtures("spark")
def test_prompts(page: Path) -> None:
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(
        str(page), module_relative=False, globs={}, optionflags=options
    )
    assert tried
    assert not failed


def untruncated(table: str) -> str:
    """Return cells without padding: show() pads on the other side if it does not truncate."""
    return "\n".join(
        "|".join(cell.strip() for cell in line.split("|")) for line in table.strip().splitlines()
    )


PROGRAM = """
import java.time.Duration
import io.muntin.functions._
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._

object Docs {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().config("spark.log.level", "ERROR")
      .config("spark.sql.session.timeZone", "UTC").getOrCreate()
    import spark.implicits._
"""


def scala_of(example: Example) -> str:
    if example.language == "sql":
        return f'    spark.sql("""{example.code}""")\n' if example.prints is None else ""
    return (
        f'    println("== {example}")\n    locally {{\n'
        + textwrap.indent(example.code, "      ")
        + "    }\n"
    )


@pytest.mark.packaging
def test_scala(installed: Installed, tmp_path: Path) -> None:
    shown = [
        example
        for page in PAGES.values()
        for example in page
        if example.language == "scala" and example.prints is not None
    ]
    code = "".join(
        scala_of(example)
        for page in PAGES.values()
        if any(example.language == "scala" for example in page)
        for example in page
        if example.language != "python"
    )
    source = tmp_path / "Docs.scala"
    source.write_text(PROGRAM + code + "  }\n}\n")
    output = submit(installed, tmp_path / "d.jar", source, "Docs", imports=f":{installed.jar}")
    printouts = dict(re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", output, re.MULTILINE))
    assert len(shown) > 0
    for example in shown:
        assert example.prints is not None
        found = [line for line in printed(printouts[str(example)]) if line]
        assert found == printed(example.prints), str(example)
