"""What a file of definitions/ says of an SQL function: read, and held to its form."""

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
    """A kind of argument: how a page calls it, its types, and what Python says of another value."""

    docs: str
    python: str
    numpydoc: str
    scala: str
    wrong: str


_COLUMN = ("ColumnOrName", "Column or str", "Column", "neither a Column nor a str")
_STR = ("str", "str", "String", "no str")
_NAMES = ("Names", "str or sequence of str", "Seq[String]", "none of these")
_KEYS = ("Keys", "str, or sequence of str or of pairs", "Seq[String]", "none of these")

KINDS = {
    "aggregate": Kind("an aggregate", "Column", "Column", "Column", "no Column"),
    "aggregates": Kind("aggregates", "Column", "Column", "Column", "no Column"),
    "window": Kind("an aggregate OVER a frame", "Column", "Column", "Column", "no Column"),
    "column": Kind("a column or an expression", *_COLUMN),
    "condition": Kind("BOOLEAN", *_COLUMN),
    "integer": Kind("a positive integer literal", "int", "int", "Int", "no int"),
    "place": Kind("an integer literal, not 0", "int", "int", "Int", "no int"),
    "flag": Kind("true or false", "bool", "bool", "Boolean", "no bool"),
    "text": Kind("a string literal", *_STR),
    "choice": Kind("a string literal", *_STR),
    "step": Kind("a literal", "Step", "number, timedelta or str", "Any", "none of these"),
    "number": Kind("a number literal", "float", "float", "Any", "no number"),
    "unit": Kind(
        "a literal", "Unit", "timedelta, number, str or Column", "Column", "none of these"
    ),
    "table": Kind("a table", "DataFrame", "DataFrame", "Dataset[_]", "no DataFrame"),
    "keys": Kind("columns", *_KEYS),
    "names": Kind("columns", *_NAMES),
}

_LITERALS: dict[str | None, bool | int] = {"true": True, "false": False, "0": 0, "1": 1}

# kind, kind? (null if omitted), kind = default, kind or null = default; then what it means. The
# words of a choice: choice(left|right).
_ARGUMENT = re.compile(r"(\w+)(?:\(([^)]+)\))?(\?)?( or null)?(?: = ([^:]+))?: (.*)", re.DOTALL)


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str
    text: str
    optional: bool  # null, if left out
    nullable: bool  # null is another thing than to leave it out
    default: bool | int | str | None
    words: tuple[str, ...] = ()  # of a choice

    @property
    def of_kind(self) -> Kind:
        kind = KINDS[self.kind]
        if not self.words:
            return kind
        words = ", ".join(f'"{word}"' for word in self.words)
        return replace(kind, python=f"Literal[{words}]", numpydoc=f"{{{words}}}")

    @property
    def is_required(self) -> bool:
        return self.default is None and not self.optional


@dataclass(frozen=True)
class Example:
    """The same query in each language, of the same tables, and what all of them print."""

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
    """A function, as one language has it."""

    name: str
    summary: str
    page: str
    result: str
    arguments: dict[str, str]
    example: Example
    text: str = ""
    source: str = ""
    over: str = ""  # the clause that SQL's call has
    errors: str = ""
    exception: str = ""  # what errors are, where they are no AnalysisException
    value_error: str = ""
    alias: bool = False  # whether the column has the function's name
    by: str = ""  # the function of that language that gets the arguments in the place of SQL's
    type: str = "Column"
    skip: bool = False  # whether that language has no such function
    without: list[str] = field(default_factory=list)  # the arguments that it does not have
    names: dict[str, str] = field(default_factory=dict)  # the other names that it has for some
    keyword: str = ""  # from which on arguments are given by name
    texts: dict[str, str] = field(default_factory=dict)  # what it says of some instead

    @property
    def parameters(self) -> list[Parameter]:
        return [p for names, text in self.arguments.items() for p in self._several(names, text)]

    @property
    def prose(self) -> str:
        return self.text + (f" It is {self.source}." if self.source else "")

    def together(self) -> Iterator[list[Parameter]]:
        """The parameters, those of one text together."""
        for _, same in groupby(self.parameters, lambda p: p.text):
            yield list(same)

    def _several(self, names: str, said: str) -> Iterator[Parameter]:
        found = _ARGUMENT.fullmatch(said)
        if found is None or found[1] not in KINDS or (found[1] == "choice") != bool(found[2]):
            raise DefinitionError(
                f"{self.name}: {names} is {said!r}; expected is 'kind: text', {list(KINDS)}"
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
    """A definition is not of the form that it has to be; the message says where."""


@dataclass(frozen=True)
class DefinitionFile:
    """A definition as its file has it, with what is other in a language."""

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
            raise DefinitionError(f"{self.name}: {given - known} is none of {sorted(known)}")
        values: Any = {k: v.strip("\n") if isinstance(v, str) else v for k, v in said.items()}
        try:
            return kind(**values)
        except TypeError as error:
            raise DefinitionError(f"{self.name}: {error}") from None


def all_files(folder: Path = FOLDER) -> list[DefinitionFile]:
    files = sorted(folder.glob("*.toml"))
    return [DefinitionFile(file.stem, tomllib.loads(file.read_text())) for file in files]
