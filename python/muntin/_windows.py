"""Windows for DataFrame code: ``over``, ``rolling``, ``complete``."""

from __future__ import annotations

import re
from datetime import timedelta

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muntin import _arguments as check
from muntin import _bootstrap, _calls, _durations, _kinds, _rolling
from muntin._errors import MuntinTypeError, MuntinValueError, invalid_type, invalid_value
from muntin._functions import framed, is_complete
from muntin.typing import (
    ClosedEnds,
    ColumnOrName,
    ColumnsOrNames,
    DurationLike,
    FrameExclusion,
    RangeBound,
    RowsBound,
)

_MICROSECOND = timedelta(microseconds=1)

_EXCLUSIONS = ("no others", "current row", "group", "ties")


def over(
    partition_by: ColumnsOrNames | None = None,
    order_by: ColumnsOrNames | None = None,
    *,
    rows: tuple[RowsBound, RowsBound] | None = None,
    range: tuple[RangeBound, RangeBound] | None = None,  # noqa: A002
    groups: tuple[RowsBound, RowsBound] | None = None,
    exclude: FrameExclusion = "no others",
) -> WindowSpec:
    """Return a window: partition, order and frame in one call, with durations in RANGE.

    pyspark's ``Window.rangeBetween`` accepts only numbers, and ``Window`` lacks GROUPS and EXCLUDE.

    Parameters
    ----------
    partition_by : Column, str or sequence of these, optional
        The columns that divide rows into partitions; by default all rows are one partition.
    order_by : Column, str or sequence of these, optional
        The order within a partition.
    rows : tuple of int or Column, optional
        First and last row of the frame, counted from the current row: ``(-9, 0)`` is ten rows. None
        is the partition's end on that side. A Column specifies an offset per row: ``(-F.col("n"),
        0)`` is the row and the ``n`` rows before it.
    range : tuple of timedelta, str, int or Column, optional
        First and last value of the order, as distances from the current row's value: ``("-1 hour",
        "0 seconds")``, or ``(timedelta(hours=-1), timedelta(0))``, is the last hour. With
        durations, ``order_by`` is one TIMESTAMP, TIMESTAMP_NTZ or DATE, ascending. A day is 24
        hours, even if the clocks change. None is the partition's end on that side. A Column of
        numbers or intervals is added to the order as in SQL.
    groups : tuple of int or Column, optional
        First and last group of peers (rows that are equal in ``order_by``), counted from the
        current row's group: ``(-2, 0)`` is its group and the two groups before it. None is the
        partition's end on that side.
    exclude : {"no others", "current row", "group", "ties"}
        Which rows the frame excludes: ``"no others"``, ``"current row"``, ``"group"`` (the row and
        its peers) or ``"ties"`` (only its peers).

    Returns
    -------
    WindowSpec
        A WindowSpec of pyspark, for any window function.

    Raises
    ------
    TypeError
        If ``rows``, ``range`` or ``groups`` is not such a pair.
    SparkRuntimeException
        When the query runs, if a Column of a frame is null in some row.
    ValueError
        If two of them are given, ``exclude`` is another word, a frame is given without
        ``order_by``, durations are given with several columns to order by, a str is not a duration,
        or the frame ends before it begins, as in ``("1 hour", "0 seconds")``.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> readings = spark.sql('''
    ...     SELECT * FROM VALUES (TIMESTAMP '2026-01-01 10:00', 1.0),
    ...                          (TIMESTAMP '2026-01-01 10:40', 2.0),
    ...                          (TIMESTAMP '2026-01-01 11:10', 4.0) AS readings(at, x)''')
    >>> hour = mt.over(order_by="at", range=("-1 hour", "0 seconds"))
    >>> readings.select("at", F.sum("x").over(hour).alias("last hour")).show()
    +-------------------+---------+
    |                 at|last hour|
    +-------------------+---------+
    |2026-01-01 10:00:00|      1.0|
    |2026-01-01 10:40:00|      3.0|
    |2026-01-01 11:10:00|      6.0|
    +-------------------+---------+

    >>> days = spark.sql("SELECT * FROM VALUES (1, 1), (1, 2), (2, 4), (4, 8) AS days(day, x)")
    >>> others = mt.over(order_by="day", groups=(-1, 0), exclude="current row")
    >>> days.select("day", "x", F.sum("x").over(others).alias("others")).show()
    +---+---+------+
    |day|  x|others|
    +---+---+------+
    |  1|  1|     2|
    |  1|  2|     1|
    |  2|  4|     3|
    |  4|  8|     4|
    +---+---+------+

    >>> own = mt.over(order_by="day", rows=(-F.col("day"), 0))
    >>> days.select("day", "x", F.sum("x").over(own).alias("as many days")).show()
    +---+---+------------+
    |day|  x|as many days|
    +---+---+------------+
    |  1|  1|           1|
    |  1|  2|           3|
    |  2|  4|           7|
    |  4|  8|          15|
    +---+---+------------+
    """
    frames = {"rows": rows, "range": range, "groups": groups}
    said = {name: frame for name, frame in frames.items() if frame is not None}
    if len(said) > 1:
        raise MuntinValueError("MUNTIN_SEVERAL_FRAMES", frames=", ".join(said))
    if exclude not in _EXCLUSIONS:
        words = ", ".join(map(repr, _EXCLUSIONS))
        raise invalid_value("over", "exclude", exclude, f"one of {words}")
    partition, order = _columns(partition_by), _columns(order_by)
    for name, frame in said.items():
        _check_pair(name, frame, (timedelta, str, int) if name == "range" else (int,))
        if not order:
            raise MuntinValueError("MUNTIN_FRAME_WITHOUT_ORDER", frame=name)
        _check_ends(name, frame)
        if any(_kinds.is_column(bound) for bound in frame):
            return _of_rows(partition, order, name, frame, exclude)
    durations = range is not None and any(_durations.is_duration(bound) for bound in range)
    if durations:
        if len(order) != 1:
            raise MuntinValueError("MUNTIN_RANGE_OF_SEVERAL_COLUMNS", columns=len(order))
        _calls.require("over")
        order = [_calls.call("row_time", check.column("over", "order_by", order[0]))]
    if groups is not None or exclude != _EXCLUSIONS[0]:
        _calls.require("over")
        kind = "" if groups is None else "groups"
        order = [*order, F.call_function("_muntin_frame", F.lit(kind), F.lit(exclude))]
    spec = Window.partitionBy(*partition)
    if order:
        spec = spec.orderBy(*order)
    if not said:
        return spec
    lower, upper = next(iter(said.values()))
    first = Window.unboundedPreceding if lower is None else _number(lower)
    last = Window.unboundedFollowing if upper is None else _number(upper)
    return spec.rowsBetween(first, last) if range is None else spec.rangeBetween(first, last)


def _of_rows(
    partition: list[ColumnOrName],
    order: list[ColumnOrName],
    name: str,
    frame: tuple[RangeBound, RangeBound],
    exclude: str,
) -> WindowSpec:
    """Return the window whose frame has ends that are Columns."""
    _calls.require("over")
    said = [F.lit(name), F.lit(exclude)]
    for bound in frame:
        if bound is None or (isinstance(bound, int) and bound == 0):
            said += [F.lit("unbounded" if bound is None else "current row"), F.lit(None)]
        elif isinstance(bound, str):
            said += [F.lit("shifted"), F.lit(_durations.duration("over", "range", bound))]
        else:
            said += [F.lit("shifted"), F.lit(bound)]
    mark = F.call_function("_muntin_frame", *said)
    return Window.partitionBy(*partition).orderBy(*order, mark)


def rolling(
    agg: Column,
    size: int | DurationLike | None = None,
    partition_by: ColumnsOrNames | None = None,
    order_by: ColumnsOrNames | None = None,
    *,
    closed: ClosedEnds | None = None,
    min_periods: int | None = None,
    center: bool = False,
) -> Column:
    """Compute a rolling average, or any aggregate of the last rows, the last hour, or all so far.

    Parameters
    ----------
    agg : Column
        Any aggregate, such as ``F.avg("x")``.
    size : int, timedelta, str or None
        An int: the last ``size`` rows including the current row; null while there are fewer rows
        (:func:`complete` removes these rows). A timedelta, or a str such as ``"1 hour"``: the rows
        whose time is in ``[t - size, t]``, where ``t`` is the current row's time, with both ends
        and all rows of the same time; every row has a result. None: all rows up to the current row.
    partition_by : Column, str or sequence of these, optional
        The columns that divide rows into partitions.
    order_by : Column, str or sequence of these
        The order; for a duration, one TIMESTAMP, TIMESTAMP_NTZ or DATE, ascending.
    closed : {"right", "left", "both", "neither"}, optional
        Which ends of the window belong to it: ``"right"``, ``"left"``, ``"both"`` or ``"neither"``,
        as in pandas. The default is ``"right"`` by rows, which gives ``size`` rows, and ``"both"``
        by time, as in RANGE: an hour with one row per minute has 61 rows. With ``"right"`` it has
        the 60 rows of ``(t - size, t]``, as in pandas.
    min_periods : int, optional
        With fewer rows whose columns of the aggregate are not null, the result is null. By default,
        a window by rows requires all its rows, null or not; other windows do not.
    center : bool
        Whether the current row is in the middle of the window instead of at its end. An even number
        of rows has one more row before it than after it.

    Returns
    -------
    Column
        The aggregate over its window. Do not add ``.over(…)``.

    Raises
    ------
    TypeError
        If ``size`` is of another type, or ``agg`` is not a Column. From ``.over(…)`` of the result.
    ValueError
        If ``order_by`` is missing, ``size`` is not positive (a duration may be zero) or not a
        duration, ``closed`` is another word, ``min_periods`` is negative, or ``closed`` or
        ``center`` is given without a ``size``.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> ticks = spark.range(5).select(F.timestamp_seconds("id").alias("at"), F.col("id").alias("x"))
    >>> ticks.select(
    ...     "x",
    ...     mt.rolling(F.avg("x"), 3, order_by="at").alias("three"),
    ...     mt.rolling(F.avg("x"), "3 seconds", order_by="at").alias("3 seconds"),
    ...     mt.rolling(F.avg("x"), order_by="at").alias("running"),
    ... ).show()
    +---+-----+---------+-------+
    |  x|three|3 seconds|running|
    +---+-----+---------+-------+
    |  0| NULL|      0.0|    0.0|
    |  1| NULL|      0.5|    0.5|
    |  2|  1.0|      1.0|    1.0|
    |  3|  2.0|      1.5|    1.5|
    |  4|  3.0|      2.5|    2.0|
    +---+-----+---------+-------+

    The same as pandas:

    >>> three = ticks.select(
    ...     mt.rolling(F.sum("x"), "3 seconds", order_by="at", closed="left", min_periods=2),
    ...     mt.rolling(F.sum("x"), 3, order_by="at", min_periods=2, center=True),
    ... )
    >>> [tuple(row) for row in three.collect()]
    [(None, 1), (None, 3), (1, 6), (3, 9), (6, 7)]
    >>> series = ticks.toPandas().set_index("at")["x"]
    >>> series.rolling("3s", closed="left", min_periods=2).sum().tolist()
    [nan, nan, 1.0, 3.0, 6.0]
    >>> series.rolling(3, min_periods=2, center=True).sum().tolist()
    [1.0, 3.0, 6.0, 9.0, 7.0]
    """
    check.aggregate("rolling", "agg", agg)
    partition, order = _columns(partition_by), _columns(order_by)
    if not order:
        raise MuntinValueError("MUNTIN_ROLLING_WITHOUT_ORDER")
    frame = _rolling.frame(size, closed, min_periods, center)
    _calls.require("rolling")
    window = over(partition, order, rows=frame.rows, range=frame.range)
    changed = {name: value for name, value in frame.changes.items() if value is not None}
    column = (framed(agg, **changed) if changed else agg).over(window)
    name = ", ".join([_shown(agg), frame.shown, *map(_shown, [*partition, *order]), *frame.said])
    return _refusing(column.alias(f"rolling({name})"))


def complete(df: DataFrame, column: Column) -> DataFrame:
    """Add a window function's column, and keep only rows whose frame is complete.

    A ROWS frame is complete if it is completely inside the partition. Psi returns only complete
    windows by message index. Other rows are removed, and with them the nulls that mean "not enough
    rows". Nulls of the aggregate remain.

    Parameters
    ----------
    df : DataFrame
        The rows.
    column : Column
        An aggregate over a ROWS frame, or :func:`rolling` by a number of rows, with its alias.

    Returns
    -------
    DataFrame
        The columns of ``df`` and the new column, of the remaining rows.

    Raises
    ------
    TypeError
        If ``df`` is not a DataFrame or ``column`` is not a Column.
    AnalysisException
        If ``column`` is not an aggregate over a ROWS frame.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> three = mt.rolling(F.collect_list("id"), 3, order_by="id")
    >>> mt.complete(spark.range(5), three.alias("window")).show()
    +---+---------+
    | id|   window|
    +---+---------+
    |  2|[0, 1, 2]|
    |  3|[1, 2, 3]|
    |  4|[2, 3, 4]|
    +---+---------+
    """
    if not _kinds.is_frame(df):
        raise invalid_type("complete", "df", df, "a DataFrame")
    _calls.require("complete", df.sparkSession)
    inside = is_complete(check.window("complete", "column", column)).alias("_muntin_complete")
    return df.select("*", column, inside).where("_muntin_complete").drop("_muntin_complete")


def _refusing(column: Column) -> Column:
    """Return the column of an aggregate over its window, which rejects a second window."""

    def refuse(window: object) -> Column:
        raise MuntinTypeError("MUNTIN_ROLLING_OVER_WINDOW", window=repr(window))

    _bootstrap.replace_method(column, "over", refuse)  # else Spark refuses it
    return column


def _shown(column: ColumnOrName) -> str:
    """Return a column as its query writes it, for the name of another column."""
    written = re.fullmatch(r"Column<'(.*)'>", str(column), re.DOTALL)
    return str(column) if written is None else written[1]


def _columns(given: ColumnsOrNames | None) -> list[ColumnOrName]:
    if given is None:
        return []
    return [given] if isinstance(given, str) or _kinds.is_column(given) else list(given)


def _check_pair(name: str, frame: object, kinds: tuple[type, ...]) -> None:
    pair = isinstance(frame, tuple) and len(frame) == 2
    if not pair or not all(_is_bound(bound, kinds) for bound in frame):  # type: ignore[attr-defined]
        example = "(-9, 0)" if name != "range" else "('-1 hour', '0 seconds')"
        raise invalid_type("over", name, frame, f"a pair such as {example}")


def _check_ends(name: str, frame: tuple[RangeBound, RangeBound]) -> None:
    """Reject a frame that ends before it begins: every window would be empty."""
    lower, upper = frame
    if lower is None or upper is None or _kinds.is_column(lower) or _kinds.is_column(upper):
        return
    if _number(lower) <= _number(upper):
        return
    meant = (upper, lower) if -_number(lower) > _number(upper) else (_negated(lower), upper)
    raise MuntinValueError(
        "MUNTIN_FRAME_ENDS_BEFORE_START",
        parameter=name,
        frame=repr(frame),
        suggestion=f"{name}={meant!r}",
    )


def _negated(bound: RangeBound) -> RangeBound:
    if isinstance(bound, str):
        return _durations.negated(bound)
    assert isinstance(bound, (int, timedelta))
    return -bound


def _is_bound(bound: object, kinds: tuple[type, ...]) -> bool:
    allowed = isinstance(bound, kinds)
    return bound is None or _kinds.is_column(bound) or (allowed and not isinstance(bound, bool))


def _number(bound: RangeBound) -> int:
    if isinstance(bound, int):
        return bound
    assert isinstance(bound, (timedelta, str))
    return _durations.duration("over", "range", bound) // _MICROSECOND
