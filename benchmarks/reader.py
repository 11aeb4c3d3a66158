"""Reads the report of `report`: the chapters by title, their tables and times."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEADING = re.compile(r"^(#{1,3}) (.*)$", re.MULTILINE)
SECONDS = re.compile(r"([\d.]+)(?: for 1/(\d+))?")
COMMIT = re.compile(r"\bcommit (\w+)")


@dataclass(frozen=True)
class Seconds:
    """The time in a cell: for all rows, or for one key in `share`."""

    of_share: float
    share: int = 1

    @property
    def is_estimate(self) -> bool:
        return self.share > 1

    @property
    def of_all(self) -> float:
        """Return the estimated time for all rows."""
        return self.of_share * self.share


def seconds(cell: str) -> Seconds | None:
    """Return the time in a cell, or None if the cell is empty or has a text."""
    found = SECONDS.fullmatch(cell)
    return None if found is None else Seconds(float(found[1]), int(found[2] or 1))


def number(cell: str) -> float | None:
    """Return a number, with or without the mark of a missed limit, or None."""
    plain = cell.removesuffix("!").strip().replace(",", "")
    try:
        return float(plain)
    except ValueError:
        return None


@dataclass(frozen=True)
class Table:
    """The cells of a Markdown table, as text."""

    head: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        at = self.head.index(name)
        return [line[at] for line in self.lines]

    def groups(self) -> dict[str, list[dict[str, str]]]:
        """Return the lines by their first cell; an empty cell repeats the cell above."""
        groups: dict[str, list[dict[str, str]]] = {}
        name = ""
        for line in self.lines:
            name = line[0] or name
            groups.setdefault(name, []).append(dict(zip(self.head, line, strict=True)))
        return groups


@dataclass(frozen=True)
class Chapter:
    """The text and the table below a heading.

    `above` is the title of the chapter that a section belongs to.
    """

    prose: str
    table: Table | None
    above: str | None = None


@dataclass(frozen=True)
class Report:
    """The chapters by their titles."""

    chapters: dict[str, Chapter]

    @property
    def machine(self) -> dict[str, str]:
        """Return the start of the report: the machine, the date and the commit."""
        table = next(iter(self.chapters.values())).table
        return {} if table is None else {line[0]: line[1] for line in table.lines}

    def commit(self, title: str) -> str:
        """Return the commit of a chapter, or of the chapter above, or of the report."""
        chapter = self.chapters[title]
        if named := COMMIT.search(chapter.prose):
            return named[1]
        return self.commit(chapter.above) if chapter.above else self.machine["commit"]


def read(text: str) -> Report:
    """Return the chapters of a report; of several chapters with one title, the last."""
    _, *parts = HEADING.split(text)
    chapters = {}
    above = None
    for marks, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if marks == "##":
            above = title
        chapters[title] = _chapter(body.splitlines(), above if marks == "###" else None)
    return Report(chapters)


def _chapter(lines: list[str], above: str | None) -> Chapter:
    prose = " ".join(line for line in lines if line and not line.startswith("|"))
    rows = [_cells(line) for line in lines if line.startswith("|")]
    return Chapter(prose, Table(rows[0], tuple(rows[2:])) if rows else None, above)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|"))
