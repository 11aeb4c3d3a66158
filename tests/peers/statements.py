"""The window statements of the suites of other systems and of Spark, in their formats."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

OVER = re.compile(r"\bOVER\b", re.IGNORECASE)


@dataclass
class Statement:
    """A statement, and its result if the suite has one in its own format."""

    file: str
    text: str
    rows: list[list[str]] | None = None
    fails: bool = False
    of_query: bool = field(default=False)

    @property
    def has_window(self) -> bool:
        return self.of_query and OVER.search(without_comments(self.text)) is not None


def without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL).strip().rstrip(";").strip()


def is_query(text: str) -> bool:
    return re.match(r"\(*\s*(SELECT|WITH|FROM|VALUES)\b", text, re.IGNORECASE) is not None


def duckdb(folder: Path) -> Iterator[Statement | None]:
    """Return the statements; None marks the end of a file, where its tables are dropped."""
    for path in sorted(folder.glob("*.test*")):
        yield from _of_file(path)
        yield None


def _of_file(path: Path) -> Iterator[Statement]:
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return _of_blocks(path.name, lines, {})


def _of_blocks(file: str, lines: list[str], names: dict[str, str]) -> Iterator[Statement]:
    i = 0
    while i < len(lines):
        words = lines[i].split()
        i += 1
        if not words:
            continue
        if words[0] in ("foreach", "loop"):
            depth, end = 1, i
            while depth:
                depth += lines[end].startswith(("foreach ", "loop "))
                depth -= lines[end].startswith("endloop")
                end += 1
            values = (
                [str(n) for n in range(int(words[2]), min(int(words[3]), int(words[2]) + 2))]
                if words[0] == "loop"
                else list(itertools.chain.from_iterable(map(_values, words[2:])))
            )
            for value in values[:3]:
                yield from _of_blocks(file, lines[i : end - 1], {**names, words[1]: value})
            i = end
        elif words[0] in ("statement", "query"):
            text = []
            while i < len(lines) and lines[i].strip() and not lines[i].startswith("----"):
                text.append(lines[i])
                i += 1
            while i < len(lines) and lines[i].strip():
                i += 1
            said = "\n".join(text)
            for name, value in names.items():
                said = said.replace("${" + name + "}", value).replace("{" + name + "}", value)
            said = without_comments(said)
            fails = words[:2] == ["statement", "error"]
            yield Statement(file, said, fails=fails, of_query=is_query(said) and not fails)


def _values(word: str) -> list[str]:
    if word == "<numeric>":
        return ["tinyint", "smallint", "integer", "bigint", "float", "double"]
    return [word.strip('"')]


def datafusion(folder: Path) -> Iterator[Statement | None]:
    """Return the statements of files with a window, which have the format of DuckDB's files.

    Without LIMIT, because most do not have an ORDER BY that determines the remaining rows.
    """
    limit = re.compile(r"\s+LIMIT\s+\d+\s*$", re.IGNORECASE)
    for path in sorted(folder.rglob("*.slt")):
        if OVER.search(path.read_text()):
            for one in _of_file(path):
                yield replace(one, text=limit.sub("", one.text))
            yield None


def spark(folder: Path) -> Iterator[Statement | None]:
    """Return the statements of files with a window."""
    for path in sorted(folder.rglob("*.sql")):
        text = path.read_text()
        if OVER.search(text):
            for one in _split(text):
                yield Statement(path.name, one, of_query=is_query(one))
            yield None


def sqlite(folder: Path) -> Iterator[Statement | None]:
    """Return the calls `do_execsql_test name {statements} {values}` with at most one query."""
    test = re.compile(r"do_execsql_test(?:_if_vtab)?\s+\S+\s+(?=\{)|execsql\s+(?=\{)|reset_db")
    for path in sorted(folder.glob("window*.test")):
        text = path.read_text(errors="replace")
        for found in test.finditer(text):
            if found[0] == "reset_db":
                yield None
                continue
            body = _braces(text, found.end())
            behind = re.compile(r"\s*(?=\{)").match(text, found.end() + len(body) + 2)
            wanted = _words(_braces(text, behind.end())) if behind else None
            parts = [one for one in _split(body) if "$" not in one]
            queries = sum(map(is_query, parts))
            for one in parts:
                known = is_query(one) and queries == 1 and wanted is not None
                yield Statement(path.name, one, [wanted or []] if known else None, of_query=known)
        yield None


def _words(text: str) -> list[str]:
    """Return the elements of a Tcl list."""
    found = re.finditer(r"\{((?:[^{}]|\{[^{}]*\})*)\}|\"([^\"]*)\"|(\S+)", text)
    return [next((group for group in one.groups() if group is not None), "") for one in found]


def _braces(text: str, start: int) -> str:
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[start + 1 : i]
    return text[start + 1 :]


def _split(text: str) -> list[str]:
    """Split at semicolons outside of strings and comments."""
    parts, begin = [], 0
    token = re.compile(
        r"'(?:[^']|'')*'|\"[^\"]*\"|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/|;", re.DOTALL
    )
    for found in token.finditer(text):
        if found[0] == ";":
            parts.append(text[begin : found.start()])
            begin = found.end()
    parts.append(text[begin:])
    return [said for said in map(without_comments, parts) if said]


def postgres(folder: Path) -> Iterator[Statement | None]:
    """Return the statements of window.out, each with the table that psql has printed below it."""
    lines = (folder / "window.out").read_text().splitlines()
    statements = _split((folder / "window.sql").read_text())
    at = 0
    for text in statements:
        raw = _end_of(lines, at, text)
        if raw is None:
            continue
        at, fails, rows = raw
        yield Statement("window.sql", text, rows, fails, is_query(text) and rows is not None)
    yield None


def _end_of(
    lines: list[str], at: int, text: str
) -> tuple[int, bool, list[list[str]] | None] | None:
    """Find the statement in psql's output, and read the text after it."""
    last = re.sub(r"\s+", " ", text.splitlines()[-1]).strip()
    i = at
    while i < len(lines):
        line = re.sub(r"\s+", " ", re.sub(r"--.*", "", lines[i])).strip()
        if line.rstrip(";").strip().endswith(last) and ";" in lines[i]:
            break
        i += 1
    if i >= len(lines) or i > at + 400:
        return None
    i += 1
    fails = i < len(lines) and lines[i].startswith("ERROR")
    if i + 1 < len(lines) and re.fullmatch(r"-[-+]*", lines[i + 1]):
        rows = []
        k = i + 2
        while k < len(lines) and not re.match(r"\(\d+ rows?\)", lines[k]):
            rows.append([cell.strip() for cell in lines[k].split("|")])
            k += 1
        return k + 1, fails, rows
    return i, fails, None
