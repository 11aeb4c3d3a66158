"""Odysseus' functions and names of types, in the tables of both languages."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from codegen.definition import DefinitionFile
from codegen.python import formatted
from codegen.words import camel

_FILE = Path(__file__).parent / "odysseus.toml"
_BLOCK = re.compile(
    r"(functions of odysseus.toml, generated[^\n]*\n).*?([^\n]*end of odysseus.toml)", re.DOTALL
)


def with_tables(file: Path, files: list[DefinitionFile]) -> str:
    """A file of either language, with the tables in their place."""
    said = tomllib.loads(_FILE.read_text())
    ours = {file.name for file in files}
    make = _python if file.suffix == ".py" else _scala
    functions = [make(name, ours, **function) for name, function in said["functions"].items()]
    types = said["types"]
    if file.suffix == ".py":
        tables = f"_FUNCTIONS = {{{','.join(functions)},}}\n_TYPES = {types}\n"
    else:
        names = [f'    "{theirs}" -> "{sparks}"' for theirs, sparks in types.items()]
        tables = (
            f"  private val functions: Seq[Function] = Seq(\n{_lines(functions)}\n  )\n\n"
            f"  private val types: Seq[(String, String)] = Seq(\n{_lines(names)}\n  )\n"
        )
    text = _BLOCK.sub(lambda block: block[1] + tables + block[2], file.read_text())
    return formatted(text) if file.suffix == ".py" else text


def _lines(items: list[str]) -> str:
    return ",\n".join(items)


def _python(name: str, ours: set[str], call: str, **options: Any) -> str:
    given = [f"{k}={tuple(v) if isinstance(v, list) else v}" for k, v in options.items()]
    return f'"{name}": _Function({", ".join([json.dumps(_called(call, ours)), *given])})'


def _scala(name: str, ours: set[str], call: str, **options: Any) -> str:
    given = [
        f"{camel(k)} = " + (f"Seq({json.dumps(v)[1:-1]})" if isinstance(v, list) else "true")
        for k, v in options.items()
    ]
    said = ", ".join([json.dumps(name), json.dumps(_called(call, ours)), *given])
    line = f"    Function({said})"
    return line if len(line) < 100 else line.replace(", optional", ",\n      optional")


def _called(call: str, ours: set[str]) -> str:
    return f"`muntin.{call}`" if call in ours else call
