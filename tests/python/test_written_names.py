"""The suites and types that comments and pages name exist."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]

# Operators of Spark, and names of the build, in the pages for developers.
OTHERS = {"ColumnarToRow", "ReusedExchange", "Shaded", "StateRewriter"}

# Types of Spark, Java and the literature that only comments name.
OF_OTHERS = {
    "AbstractMethodError",
    "CollapseWindow",
    "ColumnarToRow",
    "DiskBlockManager",
    "FileScan",
    "HotSpot",
    "KiB",
    "NoSuchMethodError",
    "OptimizeSkewedJoin",
    "RocksDB",
    "SlickDeque",
    "WindowEvaluatorFactoryBase",
}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@cache
def texts() -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [f for f in listed.stdout.splitlines() if f.endswith((".scala", ".java", ".py", ".md"))]
    return {f: (ROOT / f).read_text() for f in files if (ROOT / f).is_file()}


def test_every_suite_in_a_header_exists() -> None:
    in_tests = {name: text for name, text in texts().items() if "/src/test/" in name}
    suites = {s for text in in_tests.values() for s in re.findall(r"\bclass (\w+Suite)\b", text)}
    assert len(suites) > 150
    missing = {
        f"{name}: {suite}"
        for name, text in texts().items()
        if "/src/main/" in name or name.startswith("docs/internals/") or name == "CONTRIBUTING.md"
        for suite in re.findall(r"\b([A-Z]\w*Suite)\b", text)
        if suite not in suites
    }
    assert missing == set()


def test_every_type_in_a_page_for_developers_exists() -> None:
    code = {name: text for name, text in texts().items() if not name.endswith(".md")}
    types = OTHERS | {Path(name).stem for name in code}
    for text in code.values():
        types.update(re.findall(r"\b(?:class|object|trait|interface|type) ([A-Z]\w*)", text))
        types.update(re.findall(r'"(Muntin\w+)"', text))  # names of operators in a plan
    missing = {
        f"{name}: {written}"
        for name, text in texts().items()
        if name.startswith("docs/internals/") or name == "CONTRIBUTING.md"
        for written in re.findall(r"`(?:\w+/)*([A-Z][a-z]+[A-Za-z]*)(?:\.\w+)?`", text)
        if written not in types and not written.startswith("New")  # NewMotion: to be written
    }
    assert missing == set()


def test_every_type_in_a_comment_exists() -> None:
    code = {name: text for name, text in texts().items() if name.endswith((".scala", ".java"))}
    known = set(OF_OTHERS)
    for text in code.values():
        known.update(re.findall(r"\w+", COMMENT.sub(" ", text)))
    missing = {
        f"{name}: {written}"
        for name, text in code.items()
        if "/src/main/" in name
        for comment in COMMENT.findall(text)
        for written in re.findall(r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b", comment)
        if written not in known
    }
    assert missing == set()
