"""Runs the tables of code in docs/, and checks all links and the places of pages in the site."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import muntin
import pytest
from installed import ROOT
from muntin import _sparks
from page_tables import Names, evaluated, prepared, rows
from pyspark.sql import Column, DataFrame, SparkSession

from website.pages import DOCS, links, staged

ERRORS = "| query | message | remedy |"
CHEATS = "| the window | SQL | Python |"

PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def run(code: str, names: Names) -> list[Any]:
    result = evaluated(code, names)
    if isinstance(result, Column):
        result = names["df"].select(result)
    if not isinstance(result, DataFrame):
        return [result]
    if result.isStreaming:
        result.schema  # noqa: B018 (it is analyzed then)
        return []
    return [tuple(row) for row in result.collect()]


def test_the_errors_of_the_page_are_raised(spark: SparkSession) -> None:
    names = prepared(DOCS / "errors.md", spark)
    table = list(rows(DOCS / "errors.md", ERRORS))
    assert len(table) >= 20
    for row in table:
        (wrong,), says = row.code(0), row.cells[1]
        with pytest.raises(Exception, match=re.escape(says)):
            run(wrong, names)
        mended = row.code(2)
        for code in mended:
            if code.startswith(("SELECT", "df.", "late.", "mt.")):
                run(code, names)


def test_both_columns_of_the_cheat_sheet_return_equal_results(spark: SparkSession) -> None:
    names = prepared(DOCS / "cheat-sheet.md", spark)
    table = list(rows(DOCS / "cheat-sheet.md", CHEATS))
    assert len(table) >= 15
    for row in table:
        (in_sql,), (in_python,) = row.code(1), row.code(2)
        last = [[str(cells[-1]) for cells in run(code, names)] for code in (in_sql, in_python)]
        assert Counter(last[0]) == Counter(last[1]), str(row)
        assert last[0], str(row)


@pytest.mark.packaging  # once is enough
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_has_a_target(page: Any) -> None:
    assert [link.fault for link in links(page) if link.fault] == []


@pytest.mark.packaging
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_has_a_head(page: Any) -> None:
    empty = re.compile(r"\n\|[ |]+\|\n\|[-:| ]+\|\n")
    assert empty.findall(page.read_text()) == []


@pytest.mark.packaging
def test_the_api_page_has_every_name_of_the_package() -> None:
    shown = re.findall(r"^::: muntin\.(\w+)$", (DOCS / "python-api.md").read_text(), re.MULTILINE)
    assert Counter(shown) == Counter(set(muntin.__all__) - {"__version__"})


@pytest.mark.packaging
def test_both_glossaries_define_terms_in_the_same_words() -> None:
    row = re.compile(r"^\| \**([\w, -]+?)\** \| (.+?) \|", re.MULTILINE)
    house = dict(row.findall((ROOT / "CONTRIBUTING.md").read_text().partition("## Glossary")[2]))
    shown = dict(row.findall((DOCS / "glossary.md").read_text()))
    shared = house.keys() & shown.keys() - {"word", "term", "floor"}
    assert len(shared) >= 15
    assert [term for term in sorted(shared) if house[term] != shown[term]] == []


@pytest.mark.packaging
def test_the_picture_names_the_functions_of_the_table() -> None:
    texts, narrow = (
        re.findall(r"<text[^>]*>([^<]*)</text>", (DOCS / "images" / name).read_text())
        for name in ("which-window.svg", "which-window-narrow.svg")
    )
    assert texts == narrow
    page = (DOCS / "README.md").read_text()
    assert texts[texts.index("As-of join") + 1] in page
    calls = [text for text in texts if re.search(r"\w\(.*\)", text)]
    assert len(calls) >= 8
    assert [
        call for call in calls if f"`{call}`" not in page and call.split("(")[0] not in page
    ] == []


@pytest.mark.packaging
def test_the_pages_build_a_wheel_as_the_makefile_does() -> None:
    newest, *_ = reversed(_sparks.SPARKS)
    readme, first = ((ROOT / page).read_text() for page in ("README.md", "docs/first-window.md"))
    row = re.search(rf"\| {re.escape(newest.minor)} \| .* \|", (DOCS / "install.md").read_text())
    assert row is not None
    java, python = re.findall(r"([\d.]+) and later", row[0])
    for page in (readme, first):
        assert f"Spark {newest.minor}" in page
        assert "make wheel SPARK=4.0" in page
        assert f"pip install 'pyspark=={newest.minor}.*'" in page
    assert f"Python {python} or later and Java {java} or later for Spark {newest.minor}" in first
    assert [spark.minor for spark in _sparks.SPARKS if spark.minor not in readme] == []


@pytest.mark.packaging
def test_the_times_of_pandas_equal_the_report() -> None:
    report = (ROOT / "benchmarks/RESULTS.md").read_text().splitlines()
    page = (DOCS / "pandas-on-spark.md").read_text().splitlines()
    shown = [line for line in page if line.startswith("| df")]
    assert len(shown) >= 5
    assert [line for line in shown if line not in report] == []


@pytest.mark.packaging
def test_every_page_has_its_place_in_the_site() -> None:
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    placed = Counter(re.findall(r"[\w./-]+\.md$", nav, re.MULTILINE))
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    elsewhere = {str(place) for place in staged() if str(place).startswith("repository/")}
    assert pages - placed.keys() == set()
    assert placed.keys() - pages <= elsewhere
    assert placed.most_common(1)[0][1] == 1
