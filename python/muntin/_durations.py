"""Durations: a timedelta, or text in the syntax of ``window`` in Spark, such as '1 hour'."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from muntin._errors import MuntinValueError, invalid_value

_MICROSECOND = timedelta(microseconds=1)

_UNITS = {
    "week": timedelta(weeks=1),
    "day": timedelta(days=1),
    "hour": timedelta(hours=1),
    "minute": timedelta(minutes=1),
    "second": timedelta(seconds=1),
    "millisecond": timedelta(milliseconds=1),
    "microsecond": _MICROSECOND,
}

_PART = re.compile(r"([+-]?)\s*(\d+(?:\.\d+)?|\.\d+)\s+([a-z]+?)s?(?=\s|$)")

_SPANS_OF_A_CALENDAR = ("month", "year")


def is_duration(value: object) -> bool:
    """Return whether ``value`` may be a duration."""
    return isinstance(value, (timedelta, str))


def duration(function: str, parameter: str, value: timedelta | str) -> timedelta:
    """Return the duration of a timedelta or a text."""
    if isinstance(value, timedelta):
        return value
    rest = value.strip().lower()
    if rest.startswith("interval "):
        rest = rest[len("interval ") :].lstrip()
    total, begun = timedelta(0), False
    while rest:
        part = _PART.match(rest)
        unit = part[3] if part else None
        if part is None or (unit not in _UNITS and unit not in _SPANS_OF_A_CALENDAR):
            break
        if unit in _SPANS_OF_A_CALENDAR:
            raise MuntinValueError(
                "MUNTIN_DURATION_WITH_MONTHS",
                function=function,
                parameter=parameter,
                argument=repr(value),
            )
        micros = Decimal(part[1] + part[2]) * (_UNITS[part[3]] // _MICROSECOND)
        if micros != micros.to_integral_value() or (unit != "second" and "." in part[2]):
            break
        total, begun = total + int(micros) * _MICROSECOND, True
        rest = rest[part.end() :].lstrip()
    if rest or not begun:
        expected = "a duration such as '1 hour' or '1 hour 30 minutes', or a timedelta"
        raise invalid_value(function, parameter, value, expected)
    return total


def text(length: timedelta) -> str:
    """Format a duration in the largest unit that divides it."""
    for unit, one in _UNITS.items():
        if unit != "week" and length % one == timedelta(0):
            number = length // one
            return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
    raise AssertionError(length)


def negated(length: str) -> str:
    """Return the negative of a duration: '-1 hour' for '1 hour'."""
    number = r"(?:([+-])\s*)?(\d+(?:\.\d+)?|\.\d+)(?=\s)"
    return re.sub(number, lambda part: ("" if part[1] == "-" else "-") + part[2], length)
