"""The error conditions in docs/errors.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

_BLOCK = re.compile(r"(<!-- error conditions, generated -->\n).*?(<!-- end -->)", re.DOTALL)
_CODE = re.compile(r"(`[^`]*`)")


def with_conditions(page: str, source: Path) -> str:
    """Return the page with a section for each condition of the file `source`."""
    conditions = json.loads(source.read_text(encoding="utf-8"))
    sections = "".join(
        f"### {name}\n\nSQLSTATE {condition['sqlState']}\n\n{_quote(condition['message'])}\n"
        for name, condition in conditions.items()
    )
    return _BLOCK.sub(lambda block: f"{block[1]}\n{sections}{block[2]}", page)


def _quote(sentences: list[str]) -> str:
    """Return a message as a quote; parameters outside of code are not HTML."""
    lines = " ".join(sentences).strip().split("\n")
    return "".join(f"> {_escaped(line.strip())}".rstrip() + "\n" for line in lines)


def _escaped(line: str) -> str:
    parts = _CODE.split(line)
    return "".join(
        part if part.startswith("`") else re.sub(r"<(\w+)>", r"\\<\1\\>", part) for part in parts
    )
