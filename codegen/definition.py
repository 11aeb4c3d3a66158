"""Read the files of definitions/, and checks their form."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

FOLDER = Path(__file__).parent / "definitions"

T = TypeVar("T", "Example", "Definition")


@dataclass(frozen=True)
class Kind:
    """A kind of argument: its name on a page, its types, and Python's words for another type."""

    docs: str
    python: str
    numpydoc: str
    scala: str
    wrong: str


_COLUMN = ("ColumnOrName", "Column or str", "Column", "not a Column or str")
_STR = ("str", "str", "String", "not a str")
_NAMES = ("ColumnNames", "str or sequence of str", "Seq[String]", "of another type")
_KEYS = ("JoinKeys", "str, or sequence of str or of pairs", "Seq[String]", "of another type")

KINDS = {
    "aggregate": Kind("an aggregate", "Column", "Column", "Column", "not a Column"),
    "aggregates": Kind("aggregates", "Column", "Column", "Column", "not a Column"),
    "window": Kind("an aggregate OVER a frame", "Column", "Column", "Column", "not a Column"),
    "column": Kind("a column or an expression", *_COLUMN),
    "condition": Kind("BOOLEAN", *_COLUMN),
    "integer": Kind("a positive integer literal", "int", "int", "Int", "not an int"),
    "place": Kind("an integer literal, not 0", "int", "int", "Int", "not an int"),
    "flag": Kind("true or false", "bool", "bool", "Boolean", "not a bool"),
    "text": Kind("a string literal", *_STR),
    "choice": Kind("a string literal", *_STR),
    "step": Kind(
        "a literal", "NumberOrDuration", "number, timedelta or str", "Any", "of another type"
    ),
    "number": Kind("a number literal", "float", "float", "Any", "not a number"),
    "unit": Kind(
        "a literal",
        "DurationLike | float | Column",
        "timedelta, number, str or Column",
        "Column",
        "of another type",
    ),
    "table": Kind("a table", "DataFrame", "DataFrame", "Dataset[_]", "not a DataFrame"),
    "keys": Kind("columns", *_KEYS),
    "names": Kind("columns", *_NAMES),
}

# The types of muntin.typing whose values are the words of a choice.
CHOICES = {
    "AsofDirection": {"backward", "forward", "nearest"},
    "ClosedEnd": {"left", "right"},
    "ClosedEnds": {"both", "left", "right", "neither"},
    "EmittedWindows": {"change", "element"},
    "FillMethod": {"linear", "last", "next", "nearest"},
    "FrameExclusion": {"no others", "current row", "group", "ties"},
    "InterpolationMethod": {"locf", "linear"},
    "OpenedWindows": {"single", "all"},
}

_LITERALS: dict[str | None, bool | int] = {"true": True, "false": False, "0": 0, "1": 1}

# kind, kind? (null if omitted), kind = default, kind or null = default; then its meaning. A choice
# lists its words: choice(left|right).
_ARGUMENT = re.compile(r"(\w+)(?:\(([^)]+)\))?(\?)?( or null)?(?: = ([^:]+))?: (.*)", re.DOTALL)


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str
    text: str
    optional: bool  # null if omitted
    nullable: bool  # null differs from omitting it
    default: bool | int | str | None
    words: tuple[str, ...] = ()  # of a choice

    @property
    def of_kind(self) -> Kind:
        kind = KINDS[self.kind]
        if not self.words:
            return kind
        words = ", ".join(f'"{word}"' for word in self.words)
        named = [name for name, choice in CHOICES.items() if choice == set(self.words)]
        if not named:
            raise DefinitionError(f"{self.name}: no type of CHOICES has the words {words}")
        return replace(kind, python=named[0], numpydoc=f"{{{words}}}")

    @property
    def is_required(self) -> bool:
        return self.default is None and not self.optional


@dataclass(frozen=True)
class Example:
    """One query in each language over the same tables, and the output of all of them."""

    sql: str
    prints: str
    scala: str
    python: str = ""
    data: list[str] = field(default_factory=list)

    @property
    def tables(self) -> dict[str, str]:
        """The query of each table, by its name."""
        queries = [query.strip() for query in self.data]
        return {query.rpartition("AS ")[2].partition("(")[0]: query for query in queries}


@dataclass(frozen=True)
class Definition:
    """A function in one language."""

    name: str
    summary: str
    page: str
    group: str  # in Spark's ExpressionInfo
    since: str
    result: str
    arguments: dict[str, str]
    example: Example
    text: str = ""
    source: str = ""
    over: str = ""  # the clause after SQL's call
    errors: str = ""
    exception: str = ""  # the type of errors, if not AnalysisException
    value_error: str = ""
    alias: bool = False  # whether the column is named for the function
    by: str = ""  # the function of that language to call instead of SQL's
    type: str = "Column"
    skip: bool = False  # whether that language does not have the function
    without: list[str] = field(default_factory=list)  # the arguments that the language omits
    names: dict[str, str] = field(default_factory=dict)  # the arguments that the language renames
    keyword: str = ""  # the first keyword-only argument
    texts: dict[str, str] = field(default_factory=dict)  # the texts that the language replaces

    @property
    def parameters(self) -> list[Parameter]:
        return [p for names, text in self.arguments.items() for p in self._several(names, text)]

    @property
    def prose(self) -> str:
        return self.text + (f" It is {self.source}." if self.source else "")

    def together(self) -> Iterator[list[Parameter]]:
        """Return the parameters; neighbours with the same text are one group."""
        for _, same in groupby(self.parameters, lambda p: p.text):
            yield list(same)

    def _several(self, names: str, said: str) -> Iterator[Parameter]:
        found = _ARGUMENT.fullmatch(said)
        if found is None or found[1] not in KINDS or (found[1] == "choice") != bool(found[2]):
            raise DefinitionError(
                f"{self.name}: {names} is {said!r}; expected 'kind: text', {list(KINDS)}"
            )
        kind, choices, optional, nullable, default, text = found.groups()
        value = _LITERALS.get(default, default)
        for name in names.split(", "):
            if name not in self.without:
                yield Parameter(
                    self.names.get(name, name),
                    kind,
                    self.texts.get(names, text),
                    optional is not None,
                    nullable is not None,
                    value,
                    tuple(choices.split("|")) if choices else (),
                )


class DefinitionError(ValueError):
    """A definition has a wrong form; the message names the place."""


@dataclass(frozen=True)
class DefinitionFile:
    """The definition in a file, with its differences between languages."""

    name: str
    said: dict[str, Any]

    def of(self, language: str) -> Definition:
        said = {k: v for k, v in self.said.items() if k not in ("python", "scala")}
        said |= self.said.get(language, {})
        example = self._made(Example, said.get("example", {}))
        unread = [table for table in example.tables if f"{{{table}}}" not in example.sql]
        if unread:
            raise DefinitionError(f"{self.name}: the example's sql does not read {unread}")
        return self._made(Definition, {**said, "name": self.name, "example": example})

    def _made(self, kind: type[T], said: dict[str, Any]) -> T:
        known, given = {f.name for f in fields(kind)}, set(said)
        if given - known:
            raise DefinitionError(f"{self.name}: {given - known} is not one of {sorted(known)}")
        values: Any = {k: v.strip("\n") if isinstance(v, str) else v for k, v in said.items()}
        try:
            return kind(**values)
        except TypeError as error:
            raise DefinitionError(f"{self.name}: {error}") from None


def all_files(folder: Path = FOLDER) -> list[DefinitionFile]:
    files = sorted(folder.glob("*.toml"))
    return [DefinitionFile(file.stem, tomllib.loads(file.read_text())) for file in files]
