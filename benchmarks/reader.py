"""Reads the report that `report` writes: its chapters by title, their tables, the times in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEADING = re.compile(r"^(#{1,3}) (.*)$", re.MULTILINE)
SECONDS = re.compile(r"([\d.]+)(?: for 1/(\d+))?")
COMMIT = re.compile(r"\bcommit (\w+)")


@dataclass(frozen=True)
class Seconds:
    """A time, as a cell has it: of all rows, or of one key in `share` alone."""

    of_share: float
    share: int = 1

    @property
    def is_estimate(self) -> bool:
        return self.share > 1

    @property
    def of_all(self) -> float:
        """What all rows would take if they took as many times as long."""
        return self.of_share * self.share


def seconds(cell: str) -> Seconds | None:
    """None where a cell has no time, but nothing or words."""
    found = SECONDS.fullmatch(cell)
    return None if found is None else Seconds(float(found[1]), int(found[2] or 1))


def number(cell: str) -> float | None:
    """A number, with a mark of a missed bar or without; None where there is none."""
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
        """The lines by their first cell, an empty one standing for that above it."""
        groups: dict[str, list[dict[str, str]]] = {}
        name = ""
        for line in self.lines:
            name = line[0] or name
            groups.setdefault(name, []).append(dict(zip(self.head, line, strict=True)))
        return groups


@dataclass(frozen=True)
class Chapter:
    """What stands below a heading: its text and its table.

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
        """The start of the report: the machine, the date and the commit."""
        table = next(iter(self.chapters.values())).table
        return {} if table is None else {line[0]: line[1] for line in table.lines}

    def commit(self, title: str) -> str:
        """The commit that a chapter names, or else the chapter above, or else the report."""
        chapter = self.chapters[title]
        if named := COMMIT.search(chapter.prose):
            return named[1]
        return self.commit(chapter.above) if chapter.above else self.machine["commit"]


def read(text: str) -> Report:
    """The chapters of a report; those of one title are taken for one, the last."""
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
