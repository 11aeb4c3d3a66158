"""Compares the rows of two systems that write numbers, nulls and lists differently."""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Sequence
from typing import Any

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)


def equal(found: Sequence[Sequence[Any]], wanted: Sequence[Sequence[Any]]) -> bool:
    """Compare rows in any order, because systems differ where ORDER BY does not define an order."""
    ours, theirs = sorted(map(_row, found), key=_key), sorted(map(_row, wanted), key=_key)
    return len(ours) == len(theirs) and all(map(_same_row, ours, theirs))


def _row(row: Sequence[Any]) -> list[Any]:
    return [_value(value) for value in row]


def _key(row: list[Any]) -> list[tuple[str, Any]]:
    return [
        ("n", f"{value:.6e}") if isinstance(value, float) else ("s", str(value)) for value in row
    ]


def _value(value: Any) -> Any:
    # In the texts of the suites, NULL and an empty text are both null.
    if value is None or value in ("NULL", ""):
        return None
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float, decimal.Decimal)):
        number = float(value)
        return "NaN" if math.isnan(number) else number
    if isinstance(value, (list, tuple)):
        return tuple(_value(v) for v in value)
    if isinstance(value, dict):
        return tuple(_value(v) for v in value.values())
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (datetime.datetime, datetime.date)):
        moment = value if isinstance(value, datetime.datetime) else None
        return (
            (moment.replace(tzinfo=None) if moment else value).isoformat().replace("T00:00:00", "")
        )
    text = str(value)
    if text in ("t", "true"):
        return 1.0
    if text in ("f", "false"):
        return 0.0
    if _NUMBER.fullmatch(text) or text in ("Infinity", "-Infinity"):
        return float(text)
    if re.fullmatch(r"\{.*\}", text):
        return tuple(_value(v) for v in text[1:-1].split(",") if v)
    for form in ("%m-%d-%Y", "%Y-%m-%d %H:%M:%S", "%a %b %d %H:%M:%S %Y"):
        try:
            return (
                datetime.datetime.strptime(text.removesuffix(" PDT"), form)
                .isoformat()
                .replace("T00:00:00", "")
            )
        except ValueError:
            pass
    return text


def _same_row(ours: list[Any], theirs: list[Any]) -> bool:
    return len(ours) == len(theirs) and all(map(_same, ours, theirs))


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    return bool(ours == theirs)
