"""Examples in several languages are tabs on the site, with the code of the sources."""

from __future__ import annotations

import re
import textwrap

import pytest
from installed import ROOT

from website.pages import DOCS, place_of, staged
from website.tabs import LABELS, with_tabs

pytestmark = pytest.mark.packaging  # once is enough

SQL, PYTHON, SCALA, TEXT, VIEW = (
    f"```{language}\n{code}\n```\n"
    for language, code in [
        ("sql", "SELECT 1"),
        ("python", "one()\n\nif True:\n    two()"),
        ("scala", "one()"),
        ("text", "1"),
        ("sql", "CREATE TEMP VIEW t AS SELECT 1"),
    ]
)


def tab(label: str, block: str) -> str:
    return f'=== "{label}"\n\n{textwrap.indent(block, "    ")}'


def test_consecutive_blocks_are_tabs() -> None:
    page = f"Before.\n\n{SQL}\n{PYTHON}\n\n{SCALA}\n{TEXT}\nAfter.\n"
    tabs = "\n".join([tab("SQL", SQL), tab("Python", PYTHON), tab("Scala", SCALA)])
    assert with_tabs(page) == f"Before.\n\n{tabs}\n{TEXT}\nAfter.\n"


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(f"{SQL}\n{TEXT}", id="one language"),
        pytest.param(f"{SQL}\nThen:\n\n{PYTHON}", id="prose between"),
        pytest.param(f"{SQL}\n{SQL}\n{PYTHON}", id="a language twice"),
        pytest.param(f"{VIEW}\n{PYTHON}\n{TEXT}", id="a view for the next block"),
        pytest.param(f"{TEXT}\n{TEXT}", id="other languages"),
    ],
)
def test_other_blocks_do_not_change(page: str) -> None:
    assert with_tabs(page) == page


def test_pages_have_tabs_with_their_code() -> None:
    files = staged()
    pages = {page: files[place_of(page)] for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]}
    labels = re.compile(rf'^=== "({"|".join(LABELS.values())})"\n\n', re.MULTILINE)
    tabs = 0
    for page, content in pages.items():
        assert isinstance(content, str)
        tabs += len(labels.findall(content))
        blocks = re.findall(r"^ *```\w+\n.*?^ *```$", content, re.MULTILINE | re.DOTALL)
        sources = re.findall(r"^```\w+\n.*?^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        assert [textwrap.dedent(block) for block in blocks] == sources, page
    assert tabs > 200
