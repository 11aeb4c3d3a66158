"""The prose of definitions in each language: names, literals and calls as it writes them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from codegen.definition import Definition

# Between words that stay on one line.
_SPACE = "\0"

# `code`, or [function].
_MARKED = re.compile(r"`([^`]*)`|\[(\w+)\]")
_AGGREGATE = re.compile(r"(avg|count|max|min|sum)\((\w+|\*)\)")


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda m: m[1].upper(), name)


def third_person(summary: str) -> str:
    """What a function does; Python's docstrings tell it to."""
    verb, _, rest = summary.partition(" ")
    return f"{verb}s {rest}"


def listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


class Words:
    """The prose of one function in one language: python, scala, sql, or docs."""

    def __init__(self, definition: Definition, language: str) -> None:
        self._language = language
        self._names = definition.names
        if language == "scala":
            names = [p.name for p in definition.parameters]
            self._names = {**{n: camel(n) for n in names}, **definition.names}

    def __call__(self, text: str) -> str:
        return " ".join(self.lines(text, len(text) * 2 + 1))

    def lines(self, text: str, width: int, first: str = "", rest: str = "") -> list[str]:
        wrapped = textwrap.wrap(
            _MARKED.sub(self._marked, text),
            width,
            initial_indent=first,
            subsequent_indent=rest or first,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [line.replace(_SPACE, " ") for line in wrapped]

    def _marked(self, found: re.Match[str]) -> str:
        code, function = found.groups()
        if function is None:
            return self._code(self._written(" ".join(code.split())))
        if self._language == "python":
            return f":func:`{function}`"
        if self._language == "docs":
            return f"[{function}](functions.md#{function})"
        return self._code(camel(function) if self._language == "scala" else function)

    def _code(self, code: str) -> str:
        marks = {"python": "``", "sql": ""}.get(self._language, "`")
        return f"{marks}{code.replace(' ', _SPACE)}{marks}"

    def _written(self, code: str) -> str:
        is_sql = self._language in ("sql", "docs")
        if code == "null":
            return "NULL" if is_sql else "None"
        if is_sql:
            return re.sub(r'^"(.*)"$', r"'\1'", code)
        if call := _AGGREGATE.fullmatch(code):
            name, column = call.groups()
            string = f'"{column}"'
            if self._language == "python":
                return f"F.{name}({string})"
            return f"{name}({string if column == '*' else '$' + string})"
        return self._names.get(code, code)
