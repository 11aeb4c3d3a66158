"""Aggregates written in Python, for every window and GROUP BY."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, overload

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from muntin import _kinds
from muntin._errors import MuntinTypeError, invalid_type, invalid_value
from muntin.typing import ArrayFormat, ColumnOrName

_VALUES = ("arrow", "numpy", "list")


class Aggregator:
    """An aggregate written in Python. A call with columns returns an aggregate Column.

    :func:`aggregator` and :func:`apply` return it.

    Examples
    --------
    >>> import muntin as mt
    >>> @mt.aggregator(returns="double")
    ... class Mean:
    ...     def __init__(self):
    ...         self.rows, self.total = 0, 0
    ...
    ...     def update(self, x):
    ...         self.rows += len(x) - x.null_count
    ...         self.total += sum(v for v in x.to_pylist() if v is not None)
    ...
    ...     def evaluate(self):
    ...         return self.total / self.rows if self.rows else None
    >>> Mean
    muntin.Aggregator(Mean, returns='double')
    """

    def __init__(self, of: Any, returns: DataType | str, values: str, *, whole: bool) -> None:
        self._returns = returns
        self.__name__: str = getattr(of, "__name__", type(of).__name__)
        self.__doc__ = getattr(of, "__doc__", None)
        self.__wrapped__ = of
        mark = {"name": self.__name__, "of": of, "values": values, "whole": whole}
        self._function = _of_group(mark, _source())

    def __call__(self, *columns: ColumnOrName) -> Column:
        """Return the aggregate of these columns."""
        if not columns:
            raise MuntinTypeError("MUNTIN_AGGREGATOR_WITHOUT_COLUMNS", function=self.__name__)
        for column in columns:
            if not (isinstance(column, str) or _kinds.is_column(column)):
                expected = f"a Column or the name of a column. Pass a value as F.lit({column!r})"
                raise invalid_type(self.__name__, "columns", column, expected)
        made: Column = _udf(self._function, self._returns)(*columns)
        return made

    def __repr__(self) -> str:
        return f"muntin.Aggregator({self.__name__}, returns={self._returns!r})"


@overload
def aggregator(cls: type, *, returns: DataType | str, values: ArrayFormat = ...) -> Aggregator: ...


@overload
def aggregator(
    cls: None = ..., *, returns: DataType | str, values: ArrayFormat = ...
) -> Callable[[type], Aggregator]: ...


def aggregator(
    cls: type | None = None, *, returns: DataType | str, values: ArrayFormat = "arrow"
) -> Aggregator | Callable[[type], Aggregator]:
    """Turn a class into an aggregate for windows, for GROUP BY, and inside Muntin's functions.

    An object of the class is the state of some rows. Its methods receive the rows' values as
    arrays, one per column, in the order of the rows:

    - ``update(self, *arrays)`` adds rows after the existing rows;
    - ``evaluate(self)`` returns the result, or None for null, and does not change the state;
    - ``retract(self, *arrays)`` (optional) removes the oldest rows. It must undo ``update``
      exactly. Each row then costs one update and one retract of one row, for windows of any length;
    - ``merge(self, other)`` (optional) adds the rows of another state after the existing rows. A
      window then merges the states of blocks of 64 rows and more.

    Without ``retract`` and ``merge``, each window is one ``update`` of a new object.

    Parameters
    ----------
    cls : type
        The class; Muntin creates its objects without arguments. If the executors cannot import its
        module, define the class in the program itself or in a function.
    returns : DataType or str
        The type of the results, such as ``"double"``.
    values : {"arrow", "numpy", "list"}
        The type of the arrays. ``"arrow"``: ``pyarrow.Array``, which supports every type and nulls.
        ``"numpy"``: ``numpy.ndarray``; a null float is NaN, and a null integer raises an error.
        ``"list"``: a list of Python values, the fastest if rows enter and leave one by one.

    Returns
    -------
    Aggregator
        A call with columns returns the aggregate: ``Mean("x").over(w)``.

    Raises
    ------
    TypeError
        If the class lacks ``update`` or ``evaluate``, or its objects need arguments.

    See Also
    --------
    apply : a function of whole arrays and the positions of all windows.
    sliding, since, framed, window_by : accept the aggregate like ``F.sum("x")``.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import Window
    >>> @mt.aggregator(returns="double", values="list")
    ... class Mean:
    ...     def __init__(self):
    ...         self.rows, self.total = 0, 0
    ...
    ...     def update(self, x):
    ...         self.rows += len(x)
    ...         self.total += sum(x)
    ...
    ...     def retract(self, x):
    ...         self.rows -= len(x)
    ...         self.total -= sum(x)
    ...
    ...     def evaluate(self):
    ...         return self.total / self.rows if self.rows else None
    >>> cents = spark.createDataFrame([(1, 500), (2, 200), (3, 1300)], ["t", "cents"])
    >>> last_two = Window.orderBy("t").rowsBetween(-1, 0)
    >>> cents.select("t", Mean("cents").over(last_two).alias("mean")).show()
    +---+-----+
    |  t| mean|
    +---+-----+
    |  1|500.0|
    |  2|350.0|
    |  3|750.0|
    +---+-----+
    <BLANKLINE>
    """
    _check("aggregator", returns, values)
    if cls is None:
        return lambda given: aggregator(given, returns=returns, values=values)
    if not isinstance(cls, type):
        raise invalid_type("aggregator", "cls", cls, "a class with the methods update and evaluate")
    for method in ("update", "evaluate"):
        if not callable(getattr(cls, method, None)):
            shown = f"{method}(self, x)" if method == "update" else f"{method}(self)"
            raise MuntinTypeError(
                "MUNTIN_AGGREGATOR_WITHOUT_METHOD", aggregator=cls.__name__, method=shown
            )
    for method in ("retract", "merge"):
        if not callable(getattr(cls, method, len)):
            name = f"{cls.__name__}.{method}"
            raise invalid_type("aggregator", name, getattr(cls, method), "a method")
    if not _makes_itself(cls):
        raise MuntinTypeError("MUNTIN_AGGREGATOR_WITH_ARGUMENTS", aggregator=cls.__name__)
    return Aggregator(cls, returns, values, whole=False)


@overload
def apply(
    function: Callable[..., Any], *, returns: DataType | str, values: ArrayFormat = ...
) -> Aggregator: ...


@overload
def apply(
    function: None = ..., *, returns: DataType | str, values: ArrayFormat = ...
) -> Callable[[Callable[..., Any]], Aggregator]: ...


def apply(
    function: Callable[..., Any] | None = None,
    *,
    returns: DataType | str,
    values: ArrayFormat = "arrow",
) -> Aggregator | Callable[[Callable[..., Any]], Aggregator]:
    """Turn a function over whole arrays into an aggregate, for numpy, numba or Arrow.

    ``function(*arrays, begins, ends)`` receives the values of many rows, one array per column, and
    the positions of many windows: the i-th window contains the rows from ``begins[i]`` to
    ``ends[i]``, exclusive. It returns an array with one result per window. ``begins`` and ``ends``
    are arrays of int64 that do not decrease, except for empty windows, whose ends are equal. The
    number of rows and windows in one call may vary.

    Parameters
    ----------
    function : callable
        The function.
    returns : DataType or str
        The type of the results, such as ``"double"``.
    values : {"arrow", "numpy", "list"}
        The type of the arrays, as in :func:`aggregator`.

    Returns
    -------
    Aggregator
        A call with columns returns the aggregate.

    Raises
    ------
    TypeError
        If ``function`` cannot be called.

    See Also
    --------
    aggregator : a class whose methods add and remove rows.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import Window
    >>> @mt.apply(returns="bigint", values="numpy")
    ... def total(x, begins, ends):
    ...     import numpy as np
    ...
    ...     upto = np.concatenate([[0], np.cumsum(x)])
    ...     return upto[ends] - upto[begins]
    >>> cents = spark.createDataFrame([(1, 500), (2, 200), (3, 1300)], ["t", "cents"])
    >>> cents.select(mt.sliding(total("cents"), 2).over(Window.orderBy("t")).alias("total")).show()
    +-----+
    |total|
    +-----+
    | NULL|
    |  700|
    | 1500|
    +-----+
    <BLANKLINE>
    """
    _check("apply", returns, values)
    if function is None:
        return lambda given: apply(given, returns=returns, values=values)
    if not callable(function) or isinstance(function, type):
        expected = "a function of arrays, begins and ends"
        raise invalid_type("apply", "function", function, expected)
    return Aggregator(function, returns, values, whole=True)


def _check(name: str, returns: object, values: object) -> None:
    if not isinstance(returns, (DataType, str)):
        raise invalid_type(name, "returns", returns, "a type such as 'double'")
    if values not in _VALUES:
        words = ", ".join(map(repr, _VALUES))
        raise invalid_value(name, "values", values, f"one of {words}")


def _makes_itself(cls: type) -> bool:
    try:
        inspect.signature(cls).bind()
    except ValueError:  # a class of another language has no signature
        return True
    except TypeError:
        return False
    return True


def _source() -> str:
    return (Path(__file__).parent / "_worker.py").read_text(encoding="utf-8")


def _of_group(mark: dict[str, Any], source: str) -> Callable[..., Any]:
    """Return the function for a GROUP BY that Spark's operator runs.

    The function does not use this package, because executors may lack it.
    """
    space: dict[str, Any] = {}

    def whole(*columns: Any) -> Any:
        if not space:
            space["__name__"] = "muntin_worker"
            exec(compile(source, "muntin/_worker.py", "exec"), space)
        return space["whole"](mark, columns)

    whole.__name__ = whole.__qualname__ = mark["name"]
    whole.muntin_aggregator = mark  # type: ignore[attr-defined]
    return whole


def _udf(function: Callable[..., Any], returns: DataType | str) -> Callable[..., Column]:
    # Spark determines the kind of a function from its annotations.
    made: Callable[..., Column]
    arrow_udf = getattr(F, "arrow_udf", None)  # since Spark 4.1
    if arrow_udf is not None:
        import pyarrow as pa  # type: ignore[import-untyped]

        function.__annotations__ = {"columns": pa.Array, "return": float}
        made = arrow_udf(function, returns)
    else:
        import pandas as pd  # type: ignore[import-untyped]

        function.__annotations__ = {"columns": pd.Series, "return": float}
        made = F.pandas_udf(function, returns)  # type: ignore[attr-defined]
    return made
