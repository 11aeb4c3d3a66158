"""Odysseus' lists of aggregations as columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import Column
from pyspark.sql import functions as F

from muntin import _functions as mt


@dataclass(frozen=True)
class _Function:
    """How a function is called: with which attributes, and whether its result is a list."""

    call: Callable[..., Column]
    attributes: tuple[str, ...] = ("attribute",)
    optional: tuple[str, ...] = ()
    star: bool = False
    is_list: bool = False


def _count(attribute: str) -> Column:
    return F.count("*") if attribute == "*" else F.count(attribute)


def _nth(attribute: str, n: object) -> Column:
    if isinstance(n, str) and n.strip().isdecimal():
        n = int(n)
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"n is {n!r}; expected is a positive integer")
    return mt.nth(attribute, n)


def _rate(start: str, end: str, unit: object = None) -> Column:
    if isinstance(unit, bool) or not isinstance(unit, timedelta | int | float | None):
        raise ValueError(f"unit is {unit!r}; expected is a timedelta or a number")
    return mt.rate(start, end, unit)


_FUNCTIONS = {
    "MAX": _Function(F.max),
    "MIN": _Function(F.min),
    "AVG": _Function(F.avg),
    "SUM": _Function(F.sum),
    "COUNT": _Function(_count, star=True),
    "MEDIAN": _Function(F.median),
    "STDDEV": _Function(F.stddev_samp),
    "VAR": _Function(F.var_samp),
    "CORR": _Function(F.corr, ("x", "y")),
    "COV": _Function(F.covar_samp, ("x", "y")),
    "FIRST": _Function(F.first),
    "LAST": _Function(F.last),
    "NTH": _Function(_nth, ("attribute", "n")),
    "RATE": _Function(_rate, ("start", "end"), ("unit",)),
    "NEST": _Function(F.collect_list, is_list=True),
    "DISTINCTNEST": _Function(F.collect_set, is_list=True),
    "COMPLETENESS": _Function(mt.completeness),
}

# Odysseus' names of types, and Spark's.
_TYPES = {
    "double": "double",
    "float": "float",
    "byte": "tinyint",
    "tinyint": "tinyint",
    "short": "smallint",
    "smallint": "smallint",
    "int": "int",
    "integer": "int",
    "long": "bigint",
    "bigint": "bigint",
    "decimal": "decimal",
    "string": "string",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
}
_DECIMAL = re.compile(r"decimal\(\s*\d+\s*(,\s*\d+\s*)?\)")
_PARTIAL = "partialaggregate"

_FORM = "[function, attribute or list of attributes or '*', name] or with a type as the fourth"


def aggregations(lists: Sequence[Sequence[object]]) -> list[Column]:
    """Make columns of Odysseus' lists of aggregations.

    Parameters
    ----------
    lists : sequence of sequences
        Each is function, attribute, name of the result, and maybe its type.

        The function is MAX, MIN, AVG, SUM, COUNT, MEDIAN, STDDEV, VAR, CORR, COV, FIRST, LAST, NTH,
        RATE, NEST, DISTINCTNEST or COMPLETENESS, in any case.

        The attribute is a column's name, or a list where the function takes several:
        ``["x", "y"]`` for CORR and COV, ``["x", 3]`` for NTH, ``["start", "end"]`` for RATE, with
        a unit as a third if it is not one second. COUNT also takes ``"*"``.

        The type is one of Odysseus' or of Spark's scalar types: double, float, integer, long,
        string, boolean, decimal(10,2), date, timestamp. DOUBLE if left out. Of NEST and
        DISTINCTNEST, whose results are lists, it is the type of the elements, which keep their own
        if it is left out. ``PartialAggregate`` gives the partial of the function (see
        :func:`partial`), as Odysseus' ``outputPA`` does.

    Returns
    -------
    list of Column
        The columns, named, for ``groupBy(…).agg(*…)``.

    Raises
    ------
    ValueError
        If a function or type is unknown, attributes are missing or too many, or two results have
        one name: the message shows the list and what is allowed.

    Examples
    --------
    >>> import muntin as mt
    >>> bids = spark.createDataFrame(
    ...     [("ann", 3), ("ann", 5), ("bob", 4)], "bidder string, price int"
    ... )
    >>> columns = mt.aggregations(
    ...     [
    ...         ["MAX", "price", "max_price", "integer"],
    ...         ["AVG", "price", "mean"],
    ...         ["COUNT", "*", "n", "long"],
    ...     ]
    ... )
    >>> bids.groupBy("bidder").agg(*columns).orderBy("bidder").show()
    +------+---------+----+---+
    |bidder|max_price|mean|  n|
    +------+---------+----+---+
    |   ann|        5| 4.0|  2|
    |   bob|        4| 4.0|  1|
    +------+---------+----+---+
    """
    if isinstance(lists, str) or not isinstance(lists, Sequence):
        raise ValueError(f"aggregations: {lists!r}; expected is a list of lists, each {_FORM}")
    taken: dict[str, object] = {}
    columns = []
    for entry in lists:
        name, column = _column(entry)
        if name.lower() in taken:
            raise _invalid(entry, f"the name {name!r} is taken by {taken[name.lower()]!r}")
        taken[name.lower()] = entry
        columns.append(column)
    return columns


def _column(entry: Sequence[object]) -> tuple[str, Column]:
    if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) not in (3, 4):
        raise _invalid(entry, f"expected is {_FORM}")
    said, attribute, name = entry[:3]
    function = _FUNCTIONS.get(said.upper()) if isinstance(said, str) else None
    if function is None:
        raise _invalid(entry, f"{said!r} is none of the functions {', '.join(_FUNCTIONS)}")
    if not isinstance(name, str) or not name:
        raise _invalid(entry, f"the result's name is {name!r}; expected is a string")
    try:
        aggregate = function.call(*_attributes(function, attribute))
        return name, _typed(aggregate, function, entry[3] if len(entry) == 4 else None).alias(name)
    except ValueError as error:
        raise _invalid(entry, str(error)) from None


def _attributes(function: _Function, given: object) -> list[object]:
    attributes = list(given) if isinstance(given, list | tuple) else [given]
    fewest, most = len(function.attributes), len(function.attributes) + len(function.optional)
    if not fewest <= len(attributes) <= most:
        wanted = ", ".join([*function.attributes, *(f"{o} (optional)" for o in function.optional)])
        form = f"a list of {wanted}" if most > 1 else "one attribute"
        raise ValueError(f"{given!r} has {len(attributes)} attributes; expected is {form}")
    for name, attribute in zip(function.attributes, attributes, strict=False):
        if name != "n" and (not isinstance(attribute, str) or not attribute):
            raise ValueError(f"{name} is {attribute!r}; expected is a column's name")
        if attribute == "*" and not function.star:
            raise ValueError("'*' is no attribute for it; COUNT alone takes '*'")
    return attributes


def _typed(aggregate: Column, function: _Function, given: object) -> Column:
    if given is None and function.is_list:
        return aggregate
    said = "double" if given is None else given
    name = said.strip().lower() if isinstance(said, str) else ""
    if name == _PARTIAL:
        return mt.partial(aggregate)
    spark = name if _DECIMAL.fullmatch(name) else _TYPES.get(name)
    if spark is None:
        allowed = ", ".join([*_TYPES, "decimal(p,s)", "PartialAggregate"])
        raise ValueError(f"{said!r} is none of the types {allowed}")
    return aggregate.cast(f"array<{spark}>" if function.is_list else spark)


def _invalid(entry: object, why: str) -> ValueError:
    shown = list(entry) if isinstance(entry, tuple) else entry
    return ValueError(f"aggregations: {shown!r}: {why}")
