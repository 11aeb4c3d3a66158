"""What a session knows of the SQL functions: their parameters, and what DESCRIBE FUNCTION shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from codegen.definition import Definition, DefinitionFile, Parameter
from codegen.scala import MARK
from codegen.words import Words, camel, third_person

_HEAD = """
/** What is said of each SQL function. */
private[muntin] object Definitions {
  import Definition.{optional, required}

"""

_DEFINITION = '''\
  val {val}: Definition = Definition(
    name = "{name}",
    parameters = {parameters},
    usage = """
{usage}
    """,
    arguments = """
{arguments}
  """,
    query =
      """{query}""",
    rows = Seq(
{rows}
    )
  )
'''

_WIDTH = 100


def definitions(files: list[DefinitionFile], room: Path) -> str:
    head = f"{MARK}\npackage {'.'.join(room.parts)}\n{_HEAD}"
    return head + "\n".join(_definition(file) for file in files) + "}\n"


def _definition(file: DefinitionFile) -> str:
    d = file.of("sql")
    words = Words(d, "sql")
    usage = f"{signature(d, '_FUNC_')} - {third_person(d.summary)} {d.prose}"
    return _DEFINITION.format(
        val=camel(d.name),
        name=d.name,
        parameters=_parameters(d),
        usage="\n".join(words.lines(f"{usage} The result is {d.result}.", _WIDTH, "      ")),
        arguments="\n".join(["    Arguments:", *_said(d, words)]) if d.parameters else "",
        query=query_of(d).replace("\n", "\n          "),
        rows=_items(json.dumps(row, ensure_ascii=False) for row in _rows(d)),
    )


def _parameters(d: Definition) -> str:
    return f"Seq(\n{_items(_declared(p) for p in d.parameters)}\n    )" if d.parameters else "Nil"


def _said(d: Definition, words: Words) -> Iterator[str]:
    for first, *others in d.together():
        said = f"{', '.join(p.name for p in [first, *others])} - {first.text}"
        yield from words.lines(said, _WIDTH, "      * ", "        ")


def _items(items: Iterable[str]) -> str:
    return ",\n".join(f"      {item}" for item in items)


def _declared(p: Parameter) -> str:
    if p.is_required:
        return f'required("{p.name}")'
    default = "null" if p.default is None else json.dumps(p.default)
    return f'optional("{p.name}", {default})'


def signature(d: Definition, name: str) -> str:
    """A call of the SQL function, with what may be left out in brackets."""
    shown = [f"TABLE({p.name})" if p.kind == "table" else p.name for p in d.parameters]
    arguments = "".join(shown[:1]) + "".join(
        f", {name}" if p.is_required else f"[, {name}]"
        for name, p in zip(shown[1:], d.parameters[1:], strict=True)
    )
    return f"{name}({arguments}) {d.over}".rstrip()


def query_of(d: Definition) -> str:
    """The example as a query, with its tables in it."""
    query = d.example.sql
    for name, table in d.example.tables.items():
        query = query.replace(f"{{{name}}}", table)
    return query


def _rows(d: Definition) -> list[str]:
    """The rows that the example prints, their columns parted as Spark's own examples have them."""
    lines = d.example.prints.split("\n")[3:-1]
    return ["\t".join(cell.strip() for cell in line[1:-1].split("|")) for line in lines]
