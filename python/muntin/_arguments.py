"""What functions take, as the columns that Spark gets; anything else is a TypeError at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

ColumnOrName = Column | str
Step = int | float | Decimal | timedelta
Unit = timedelta | float | Column


def aggregate(function: str, parameter: str, value: object) -> Column:
    return _only(Column, "a Column: F.sum('x')", function, parameter, value)


def window(function: str, parameter: str, value: object) -> Column:
    return _only(Column, "a Column: F.sum('x').over(window)", function, parameter, value)


def column(function: str, parameter: str, value: object) -> Column:
    if isinstance(value, str):
        return F.col(value)
    return _only(Column, "a Column or a name", function, parameter, value)


def condition(function: str, parameter: str, value: object) -> Column:
    return column(function, parameter, value)


def optional(value: ColumnOrName | None) -> Column:
    return F.col(value) if isinstance(value, str) else F.lit(value)


def integer(function: str, parameter: str, value: object) -> Column:
    return _only(int, "an int", function, parameter, value)


def flag(function: str, parameter: str, value: object) -> Column:
    return _only(bool, "True or False", function, parameter, value)


def text(function: str, parameter: str, value: object) -> Column:
    return _only(str, "a str", function, parameter, value)


def step(function: str, parameter: str, value: object) -> Column:
    return _only(Step, "a number or a timedelta", function, parameter, value)


def unit(function: str, parameter: str, value: object) -> Column:
    kinds = timedelta | int | float | Column
    return _only(kinds, "a timedelta, a number or a Column", function, parameter, value)


def or_null(
    check: Callable[[str, str, object], Column], function: str, parameter: str, value: object
) -> Column:
    """Give null for None, or what `check` gives."""
    return F.lit(None) if value is None else check(function, parameter, value)


def _only(kinds: object, expected: str, function: str, parameter: str, value: object) -> Column:
    is_bool = isinstance(value, bool) and kinds is not bool  # which is an int to Python
    if is_bool or not isinstance(value, kinds):  # type: ignore[arg-type]
        raise TypeError(f"{function}: {parameter} is {value!r}; expected is {expected}")
    return F.lit(value)
