"""Converts arguments of functions to Spark columns; other types raise an error at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

from muntin import _kinds
from muntin._errors import MuntinTypeError, invalid_type
from muntin.typing import ColumnOrName


def aggregate(function: str, parameter: str, value: object) -> Column:
    return _column("a Column: F.sum('x')", function, parameter, value)


def aggregates(function: str, given: Sequence[Column | dict[str, str]]) -> list[Column]:
    """Return the aggregates of a call of ``agg``; a dict maps names of columns to functions."""
    if not given:
        raise MuntinTypeError("MUNTIN_MISSING_AGGREGATE", function=function)
    return [column for one in given for column in _aggregates(function, one)]


def window(function: str, parameter: str, value: object) -> Column:
    return _column("a Column: F.sum('x').over(window)", function, parameter, value)


def column(function: str, parameter: str, value: object) -> Column:
    if isinstance(value, str):
        return F.col(value)
    return _column("a Column or a name", function, parameter, value)


def condition(function: str, parameter: str, value: object) -> Column:
    return column(function, parameter, value)


def optional(value: ColumnOrName | None) -> Column:
    return F.col(value) if isinstance(value, str) else F.lit(value)


def integer(function: str, parameter: str, value: object) -> Column:
    return _literal((int,), "an int", function, parameter, value)


def place(function: str, parameter: str, value: object) -> Column:
    return _literal((int,), "an int", function, parameter, value)


def flag(function: str, parameter: str, value: object) -> Column:
    return _literal((bool,), "True or False", function, parameter, value)


def text(function: str, parameter: str, value: object) -> Column:
    return _literal((str,), "a str", function, parameter, value)


def step(function: str, parameter: str, value: object) -> Column:
    expected = "a number, a timedelta or a str such as '1 hour'"
    return _literal((int, float, Decimal, timedelta, str), expected, function, parameter, value)


def number(function: str, parameter: str, value: object) -> Column:
    return _literal((int, float, Decimal), "a number", function, parameter, value)


def unit(function: str, parameter: str, value: object) -> Column:
    if _kinds.is_column(value):
        return value
    expected = "a timedelta, a str such as '1 hour', a number or a Column"
    return _literal((timedelta, str, int, float), expected, function, parameter, value)


def names(function: str, parameter: str, value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Sequence) or not all(isinstance(name, str) for name in value):
        raise invalid_type(function, parameter, value, "names of columns")
    return list(value)


def or_null(
    check: Callable[[str, str, object], Column], function: str, parameter: str, value: object
) -> Column:
    """Return null for None, and otherwise the result of `check`."""
    return F.lit(None) if value is None else check(function, parameter, value)


def _aggregates(function: str, given: Column | dict[str, str]) -> list[Column]:
    if not isinstance(given, dict):
        return [aggregate(function, "agg", given)]
    if not given or not all(isinstance(s, str) for pair in given.items() for s in pair):
        expected = "names of columns with names of functions, such as {'x': 'avg'}"
        raise invalid_type(function, "agg", given, expected)
    return [
        F.call_function(called, F.lit(1) if name == "*" else F.col(name)).alias(
            f"{called}({'1' if name == '*' else name})"
        )
        for name, called in given.items()
    ]


def _column(expected: str, function: str, parameter: str, value: object) -> Column:
    if not _kinds.is_column(value):
        raise invalid_type(function, parameter, value, expected)
    return value


def _literal(
    kinds: tuple[type, ...], expected: str, function: str, parameter: str, value: object
) -> Column:
    is_bool = isinstance(value, bool) and bool not in kinds  # a bool is an int in Python
    if is_bool or not isinstance(value, kinds):
        raise invalid_type(function, parameter, value, expected)
    return F.lit(value)
