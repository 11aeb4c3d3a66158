"""Muntin's SQL functions as Python functions: each is one call of the function of its name."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

from muntin import _calls

ColumnOrName = Column | str
Step = int | float | Decimal | timedelta


def sliding(
    agg: Column, n: int, where: ColumnOrName | None = None, partial: bool = False
) -> Column:
    """Aggregate the most recent ``n`` rows for which ``where`` is true.

    Every row gets a result, also one whose ``where`` is false or null: that of the ``n`` rows that
    qualified last, itself among them if it qualifies. Rows are taken one by one, as with ROWS;
    those of equal order in the order in which they come, unless further columns of ORDER BY tell
    them apart. It is Fenl's (Kaskada's) ``sliding(n, condition)``.

    Parameters
    ----------
    agg : Column
        Any aggregate, such as ``F.avg("delay")``; DISTINCT and FILTER belong to it.
    n : int
        How many rows, 1 or more.
    where : Column or str, optional
        A condition, or the name of a boolean column: which rows count. All, if left out. A row that
        counts and whose input is null is one of the ``n``; the aggregate ignores it as usual.
    partial : bool
        Whether there is a result before ``n`` rows have qualified, of those there are; else it is
        null until then.

    Returns
    -------
    Column
        A window function of the aggregate's type, for ``.over(…)`` with an order and no frame.

    Raises
    ------
    TypeError
        If ``agg`` is no Column, ``n`` no int, or ``partial`` no bool.
    AnalysisException
        If ``n`` is not positive, ``where`` is not boolean, ``agg`` is no aggregate, or OVER has a
        frame: a query with it is refused.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import Window, functions as F
    >>> purchases = spark.createDataFrame([(1, 5), (2, 2), (3, 13), (4, 4)], "t int, amount int")
    >>> two = mt.sliding(F.sum("amount"), 2, F.col("amount") > 2).over(Window.orderBy("t"))
    >>> purchases.select("t", "amount", two.alias("two")).show()
    +---+------+----+
    |  t|amount| two|
    +---+------+----+
    |  1|     5|NULL|
    |  2|     2|NULL|
    |  3|    13|  18|
    |  4|     4|  17|
    +---+------+----+
    """
    arguments = _aggregate("sliding", agg), F.lit(_int("sliding", "n", n)), _optional(where)
    return _call("sliding", *arguments, F.lit(_bool("sliding", "partial", partial)))


def since(agg: Column, predicate: ColumnOrName, n: int = 1) -> Column:
    """Aggregate everything since the ``n``-th most recent row for which ``predicate`` was true.

    The order is update, emit, reset: the row that makes the predicate true still belongs to the
    part that it closes. Accumulation begins with the first row, and there is a result from then on.
    ``since(agg, true)`` is each row alone, ``since(agg, true, n)`` the last ``n``. It is Fenl's
    (Kaskada's) ``since(condition)``.

    Parameters
    ----------
    agg : Column
        Any aggregate, such as ``F.count("*")``.
    predicate : Column or str
        A condition, or the name of a boolean column. Null is false.
    n : int
        Since which of the rows, counted from the most recent; 1 or more.

    Returns
    -------
    Column
        A window function of the aggregate's type, for ``.over(…)`` with an order and no frame.

    Raises
    ------
    TypeError
        If ``agg`` is no Column, or ``n`` no int.
    AnalysisException
        If ``n`` is not positive, ``predicate`` is not boolean, ``agg`` is no aggregate, or OVER has
        a frame.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import Window, functions as F
    >>> visits = spark.createDataFrame(
    ...     [(1, "login"), (2, "view"), (3, "login"), (4, "view"), (5, "view")],
    ...     "t int, event string",
    ... )
    >>> views = mt.since(F.count("*"), F.col("event") == "login").over(Window.orderBy("t"))
    >>> visits.select("t", "event", views.alias("n")).show()
    +---+-----+---+
    |  t|event|  n|
    +---+-----+---+
    |  1|login|  1|
    |  2| view|  1|
    |  3|login|  2|
    |  4| view|  1|
    |  5| view|  2|
    +---+-----+---+
    """
    arguments = _aggregate("since", agg), _column("since", "predicate", predicate)
    return _call("since", *arguments, F.lit(_int("since", "n", n)))


def framed(
    agg: Column,
    closed: str = "both",
    arrival: ColumnOrName | None = None,
    exclude: str = "no others",
    complete: bool = False,
) -> Column:
    """Aggregate the frame of the OVER clause, changed in ways that SQL's frames cannot say.

    Parameters
    ----------
    agg : Column
        Any aggregate, such as ``F.sum("amount")``.
    closed : str
        Which ends of the frame belong to it: ``"both"`` (as in SQL), ``"left"``, ``"right"`` or
        ``"neither"``.
    arrival : Column or str, optional
        When rows arrived: rows of equal order are taken in the order of it, and each sees only
        those that arrived no later than itself (SQLstream). Without it they share a result, as in
        SQL.
    exclude : str
        SQL's EXCLUDE: ``"no others"``, ``"current row"``, ``"group"`` (the row and its peers) or
        ``"ties"`` (its peers alone).
    complete : bool
        Whether a frame of ROWS has a result only where it lies wholly inside the partition (Psi's
        windows by message index); else null. An end that ``closed`` leaves out may be missing.

    Returns
    -------
    Column
        A window function of the aggregate's type, for ``.over(…)``.

    Raises
    ------
    TypeError
        If ``agg`` is no Column, ``closed`` or ``exclude`` no str, or ``complete`` no bool.
    AnalysisException
        If ``closed`` or ``exclude`` is none of the words above, ``agg`` is no aggregate, or
        ``complete`` is asked of a frame of RANGE.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import Window, functions as F
    >>> three = Window.orderBy("id").rowsBetween(-2, 0)
    >>> values = F.collect_list("id")
    >>> spark.range(4).select(
    ...     "id",
    ...     mt.framed(values, complete=True).over(three).alias("complete"),
    ...     mt.framed(values, closed="left").over(three).alias("left"),
    ... ).show()
    +---+---------+------+
    | id| complete|  left|
    +---+---------+------+
    |  0|     NULL|    []|
    |  1|     NULL|   [0]|
    |  2|[0, 1, 2]|[0, 1]|
    |  3|[1, 2, 3]|[1, 2]|
    +---+---------+------+
    """
    return _call(
        "framed",
        _aggregate("framed", agg),
        F.lit(_str("framed", "closed", closed)),
        _optional(arrival),
        F.lit(_str("framed", "exclude", exclude)),
        F.lit(_bool("framed", "complete", complete)),
    )


def is_complete(column: Column) -> Column:
    """Tell whether the frame of a window function lies wholly inside the partition.

    That is not the same as a result that is not null: :func:`complete` keeps rows by it.

    Parameters
    ----------
    column : Column
        An aggregate over a frame of ROWS.

    Returns
    -------
    Column
        A boolean, never null.

    Raises
    ------
    TypeError
        If ``column`` is no Column.
    AnalysisException
        If ``column`` is no aggregate over a frame of ROWS.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import Window, functions as F
    >>> next_two = F.sum("id").over(Window.orderBy("id").rowsBetween(0, 1))
    >>> spark.range(3).select("id", mt.is_complete(next_two).alias("complete")).show()
    +---+--------+
    | id|complete|
    +---+--------+
    |  0|    true|
    |  1|    true|
    |  2|   false|
    +---+--------+
    """
    return _call("is_complete", _aggregate("is_complete", column, "column"))


def partial(agg: Column) -> Column:
    """Give an aggregate's partial as a value, to be stored and merged later.

    :func:`merge_partial` finishes it. Partials of disjoint rows, merged in any order, give bit for
    bit the result over all the rows. It is what Odysseus calls ``outputPA``.

    Parameters
    ----------
    agg : Column
        An aggregate, such as ``F.avg("temp")``.

    Returns
    -------
    Column
        An aggregate that gives a struct, whose layout docs/partials.md describes.

    Raises
    ------
    TypeError
        If ``agg`` is no Column.
    AnalysisException
        If ``agg`` is no aggregate, or one that has no partials (Python's).

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> hours = spark.range(10).groupBy(F.col("id") % 3).agg(mt.partial(F.avg("id")).alias("p"))
    >>> hours.select(
    ...     mt.merge_partial(F.avg("p")).alias("mean"), mt.merge_partial(F.count("p")).alias("n")
    ... ).show()
    +----+---+
    |mean|  n|
    +----+---+
    | 4.5| 10|
    +----+---+
    """
    return _call("partial", _aggregate("partial", agg))


def merge_partial(agg: Column) -> Column:
    """Finish partials: give the result of ``agg`` over the rows that they were made of.

    A partial may be finished by every aggregate whose state it holds: one of ``avg`` gives ``sum``
    and ``count`` as well.

    Parameters
    ----------
    agg : Column
        An aggregate over a column of partials, such as ``F.avg("p")``.

    Returns
    -------
    Column
        An aggregate of the type that it has over the rows.

    Raises
    ------
    TypeError
        If ``agg`` is no Column.
    AnalysisException
        If the column holds no partials, or lacks what ``agg`` needs, or a newer Muntin wrote it.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> days = spark.range(6).groupBy(F.col("id") % 2).agg(mt.partial(F.max("id")).alias("p"))
    >>> days.select(mt.merge_partial(F.max("p")).alias("highest")).show()
    +-------+
    |highest|
    +-------+
    |      5|
    +-------+
    """
    return _call("merge_partial", _aggregate("merge_partial", agg))


def nth(col: ColumnOrName, n: int) -> Column:
    """Give the ``n``-th value, or null where there are fewer rows.

    Nulls count as rows. In a window, the order is that of OVER; in a group, that in which the rows
    come, as with ``F.first``. It is Odysseus' NTH.

    Parameters
    ----------
    col : Column or str
        The values, of any type.
    n : int
        Which of them, from 1.

    Returns
    -------
    Column
        An aggregate of the column's type.

    Raises
    ------
    TypeError
        If ``n`` is no int.
    AnalysisException
        If ``n`` is not positive.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import Window
    >>> second = mt.nth("id", 2).over(Window.orderBy("id").rowsBetween(-2, 0))
    >>> spark.range(4).select("id", second.alias("second")).show()
    +---+------+
    | id|second|
    +---+------+
    |  0|  NULL|
    |  1|     1|
    |  2|     1|
    |  3|     2|
    +---+------+
    """
    return _call("nth", _column("nth", "col", col), F.lit(_int("nth", "n", n)))


def rate(
    start: ColumnOrName, end: ColumnOrName, unit: timedelta | float | Column | None = None
) -> Column:
    """Count elements per unit of time: their number by the length of the first one's validity.

    An element is a row whose start and end are not null. It is Odysseus' RATE.

    Parameters
    ----------
    start, end : Column or str
        From when until when an element is valid: TIMESTAMP, TIMESTAMP_NTZ, DATE, or numbers.
    unit : timedelta, number or Column, optional
        Per what: a duration for times (one second if left out, one day for dates), a number for
        numbers (1 if left out). A Column has to be a literal.

    Returns
    -------
    Column
        An aggregate of type double; null without elements, or where the first one's length is zero.

    Raises
    ------
    TypeError
        If ``unit`` is none of these.
    AnalysisException
        If start and end are of no such type or do not agree, or the unit does not fit them or is
        not positive.

    Examples
    --------
    >>> import muntin as mt
    >>> from datetime import timedelta
    >>> readings = spark.sql('''
    ...     SELECT TIMESTAMP '2026-01-01 00:00:00' + make_dt_interval(0, 0, 0, id) AS start,
    ...            TIMESTAMP '2026-01-01 00:00:10' + make_dt_interval(0, 0, 0, id) AS end
    ...     FROM range(5)''')
    >>> readings.select(
    ...     mt.rate("start", "end").alias("a second"),
    ...     mt.rate("start", "end", timedelta(minutes=1)).alias("a minute"),
    ... ).show()
    +--------+--------+
    |a second|a minute|
    +--------+--------+
    |     0.5|    30.0|
    +--------+--------+
    """
    if isinstance(unit, bool) or not isinstance(unit, timedelta | int | float | Column | None):
        raise TypeError(f"rate: unit is {unit!r}; expected is a timedelta, a number or a Column")
    arguments = _column("rate", "start", start), _column("rate", "end", end)
    return _call("rate", *arguments, *([] if unit is None else [F.lit(unit)]))


def completeness(col: ColumnOrName) -> Column:
    """Give the part of rows in which a column is not null: 1 where it has no nulls.

    It is Odysseus' COMPLETENESS.

    Parameters
    ----------
    col : Column or str
        The column, of any type.

    Returns
    -------
    Column
        An aggregate of type double, from 0 to 1; null without rows.

    Raises
    ------
    TypeError
        If ``col`` is neither a Column nor a str.

    Examples
    --------
    >>> import muntin as mt
    >>> frame = spark.createDataFrame([(1,), (None,), (3,), (4,)], "x int")
    >>> frame.select(mt.completeness("x").alias("completeness")).show()
    +------------+
    |completeness|
    +------------+
    |        0.75|
    +------------+
    """
    return _call("completeness", _column("completeness", "col", col))


def field_window(
    field: ColumnOrName,
    size: Step | None = None,
    advance: Step | None = None,
    *,
    offset: Step = 0,
    every: Step | None = None,
    open: str = "single",  # noqa: A002
    drain: bool = True,
) -> Column:
    """Group rows by windows along the values of a field: a time, a number, a date.

    Stands in ``groupBy`` beside the columns of the group, and gives one result for each window.
    Windows are ``[offset + k * advance, offset + k * advance + size)``; a row that reaches the end
    of one closes it and is not in it. Windows without a row do not come out. It is StreamBase's
    field dimension.

    Parameters
    ----------
    field : Column or str
        A number, TIMESTAMP, TIMESTAMP_NTZ or DATE, never null: what windows are told by.
    size : number or timedelta, optional
        How wide a window is: of timestamps in seconds or a timedelta, of dates in days. Without it,
        one window takes all rows and never closes by itself.
    advance : number or timedelta, optional
        How far apart windows open, ``size`` at most. Without it, one opens at the value of the
        first row that finds none open.
    offset : number or timedelta
        By how much all openings are shifted.
    every : number or timedelta, optional
        Give a result also each so far behind the opening, of the rows before that point.
    open : str
        What opens at a group's first row, and after a gap of ``size``: ``"single"``, at most one
        window, the latest; ``"all"``, each window that contains the row.
    drain : bool
        Whether windows come out that no later row of any group has closed.

    Returns
    -------
    Column
        A struct of ``open`` and ``close``, and with ``every`` of ``emit``, up to where a result
        goes; for ``groupBy``.

    Raises
    ------
    TypeError
        If an argument is of none of these types.
    AnalysisException
        If a number is not positive or does not fit the field's type, ``advance`` is more than
        ``size`` or without it, or ``every`` is more than ``size``.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> trades = spark.createDataFrame(
    ...     [(10, 100), (20, 200), (40, 100), (65, 100)], "t int, volume int"
    ... )
    >>> halves = trades.groupBy(mt.field_window("t", 30, 30)).agg(F.sum("volume").alias("total"))
    >>> halves.orderBy("field_window").show()
    +------------+-----+
    |field_window|total|
    +------------+-----+
    |     {0, 30}|  300|
    |    {30, 60}|  100|
    |    {60, 90}|  100|
    +------------+-----+
    """
    name = "field_window"
    steps = [("size", size), ("advance", advance), ("offset", offset), ("every", every)]
    return _call(
        name,
        _column(name, "field", field),
        *(_step(name, parameter, value) for parameter, value in steps),
        F.lit(_str(name, "open", open)),
        F.lit(_bool(name, "drain", drain)),
    ).alias(name)


def _step(function: str, parameter: str, value: object) -> Column:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | timedelta | None):
        raise TypeError(
            f"{function}: {parameter} is {value!r}; expected is a number or a timedelta"
        )
    return F.lit(value)


def validity(
    start: ColumnOrName,
    end: ColumnOrName,
    dump_at: int | None = None,
    emit: str = "change",
    drain: bool = True,
) -> Column:
    """Make windows for ``groupBy`` of the time in which rows are valid.

    Each row is valid from ``start`` until ``end``, not with it. There is a window for each maximal
    interval in which the set of a group's valid rows is constant and not empty. It is Odysseus'
    AGGREGATE over overlapping validities.

    Parameters
    ----------
    start, end : Column or str
        From when until when a row is valid: two of one type that has an order, such as TIMESTAMP.
        A null end is never; a row that ends where it starts is valid nowhere.
    dump_at : int, optional
        Windows are cut at the start of every ``dump_at``-th row, counted over all groups.
    emit : str
        ``"change"``, or ``"element"``: one window for each row instead, with a start only, of the
        rows valid at its start; of those with the same start the row itself and the ones before it.
    drain : bool
        Whether windows come out that no later row of any group has closed.

    Returns
    -------
    Column
        A struct of ``start`` and ``end``, called ``validity``, for ``groupBy``.

    Raises
    ------
    TypeError
        If ``dump_at`` is no int, ``emit`` no str, or ``drain`` no bool.
    AnalysisException
        If start and end do not agree, ``dump_at`` is not positive, or ``emit`` is neither word: a
        query with it is refused. One that meets a row whose start is null, or whose end is before
        its start, fails and shows the row.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> bids = spark.createDataFrame([(0, 10, 7), (5, 15, 9), (20, 30, 8)], "s int, e int, bid int")
    >>> highest = bids.groupBy(mt.validity("s", "e")).agg(F.max("bid").alias("highest"))
    >>> highest.select("validity.*", "highest").show()
    +-----+---+-------+
    |start|end|highest|
    +-----+---+-------+
    |    0|  5|      7|
    |    5| 10|      9|
    |   10| 15|      9|
    |   20| 30|      8|
    +-----+---+-------+
    """
    cuts = None if dump_at is None else _int("validity", "dump_at", dump_at)
    return _call(
        "validity",
        _column("validity", "start", start),
        _column("validity", "end", end),
        F.lit(cuts),
        F.lit(_str("validity", "emit", emit)),
        F.lit(_bool("validity", "drain", drain)),
    ).alias("validity")


def intervals(agg: Column, start: ColumnOrName, end: ColumnOrName) -> Column:
    """Aggregate over each interval in which the same rows are valid, in one value.

    A row is valid from ``start`` until ``end``, not with it. It is :func:`validity` for a group in
    which other aggregates stand too.

    Parameters
    ----------
    agg : Column
        Any aggregate, such as ``F.sum("guests")``; DISTINCT and FILTER belong to it.
    start, end : Column or str
        Of one type that has an order, such as TIMESTAMP. A null end is never.

    Returns
    -------
    Column
        An aggregate that gives an array of structs ``start``, ``end`` and ``value``, in order: one
        for each maximal interval in which the set of valid rows is constant and not empty.

    Raises
    ------
    TypeError
        If ``agg`` is no Column, or ``start`` or ``end`` is neither a Column nor a str.
    AnalysisException
        If ``agg`` is no aggregate, or ``start`` and ``end`` have no order, or types that do not
        agree. Rows with a null start, or an end before the start, fail the query when it runs.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> stays = spark.createDataFrame([(0, 10), (5, 15), (20, 30)], "s int, e int")
    >>> stays.select(F.inline(mt.intervals(F.count("*"), "s", "e"))).show()
    +-----+---+-----+
    |start|end|value|
    +-----+---+-----+
    |    0|  5|    1|
    |    5| 10|    2|
    |   10| 15|    1|
    |   20| 30|    1|
    +-----+---+-----+
    """
    times = _column("intervals", "start", start), _column("intervals", "end", end)
    return _call("intervals", _aggregate("intervals", agg), *times)


def ticks(
    time: ColumnOrName,
    schedule: str,
    timezone: str | None = None,
    span: int | None = 1,
    drain: bool = True,
) -> Column:
    """Give a group a window for each tick of a schedule, also where it has no rows.

    It stands in ``groupBy``. A window has the rows since the tick before, those at the tick itself
    included. A group has windows from its first row on until the newest row of all groups, each up
    to the first tick at or after it. It is Fenl's (Kaskada's) ``since(yearly())``.

    Parameters
    ----------
    time : Column or str
        When a row was: TIMESTAMP, TIMESTAMP_NTZ or DATE.
    schedule : str
        ``"minutely"``, ``"hourly"``, ``"daily"``, ``"weekly"`` (Mondays), ``"monthly"``,
        ``"yearly"``, or a cron expression of five fields.
    timezone : str, optional
        Whose clocks tick, for a TIMESTAMP; those of the session, if left out.
    span : int or None
        How many ticks a window goes back: 1 or more, or None for all rows since the group's first.
    drain : bool
        Whether a tick comes out that no later row has passed yet.

    Returns
    -------
    Column
        A struct of ``start`` and ``end``, named ``ticks``: of timestamps, or of dates where the
        times are dates and the schedule ticks at the beginning of days.

    Raises
    ------
    TypeError
        If ``schedule`` or ``timezone`` is no str, ``span`` no int, or ``drain`` no bool.
    AnalysisException
        If there is no such schedule or time zone, ``span`` is not positive, or ``time`` is of
        another type or has no time zone to speak of.

    Examples
    --------
    >>> import muntin as mt
    >>> from datetime import date
    >>> from pyspark.sql import functions as F
    >>> sales = spark.createDataFrame(
    ...     [(date(2026, 1, 5), 5), (date(2026, 1, 20), 2), (date(2026, 3, 3), 13)],
    ...     "day date, amount int",
    ... )
    >>> totals = sales.groupBy(mt.ticks("day", "monthly")).agg(F.sum("amount").alias("total"))
    >>> totals.select("ticks.start", "ticks.end", "total").orderBy("end").show()
    +----------+----------+-----+
    |     start|       end|total|
    +----------+----------+-----+
    |2026-01-01|2026-02-01|    7|
    |2026-02-01|2026-03-01| NULL|
    |2026-03-01|2026-04-01|   13|
    +----------+----------+-----+
    """
    return _call(
        "ticks",
        _column("ticks", "time", time),
        F.lit(_str("ticks", "schedule", schedule)),
        F.lit(None if timezone is None else _str("ticks", "timezone", timezone)),
        F.lit(None if span is None else _int("ticks", "span", span)),
        F.lit(_bool("ticks", "drain", drain)),
    ).alias("ticks")


def _call(name: str, *arguments: Column) -> Column:
    _calls.require(name)
    return _calls.call(name, *arguments)


def _aggregate(function: str, value: object, parameter: str = "agg") -> Column:
    if isinstance(value, Column):
        return value
    example = "F.sum('x').over(window)" if parameter == "column" else "F.sum('x')"
    raise TypeError(f"{function}: {parameter} is {value!r}; expected is a Column: {example}")


def _column(function: str, parameter: str, value: object) -> Column:
    if isinstance(value, Column):
        return value
    if isinstance(value, str):
        return F.col(value)
    raise TypeError(f"{function}: {parameter} is {value!r}; expected is a Column or a name")


def _optional(value: ColumnOrName | None) -> Column:
    if isinstance(value, str):
        return F.col(value)
    return F.lit(value)


def _int(function: str, parameter: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError(f"{function}: {parameter} is {value!r}; expected is an int")


def _bool(function: str, parameter: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError(f"{function}: {parameter} is {value!r}; expected is True or False")


def _str(function: str, parameter: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{function}: {parameter} is {value!r}; expected is a str")
