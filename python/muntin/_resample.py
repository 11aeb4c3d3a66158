"""Rows on a grid of times: ``resample``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Union

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muntin import _calls, _durations, _functions, _kinds
from muntin._arguments import Step
from muntin._unfinished import Unfinished

Names = Union[str, Sequence[str]]
Rounding = Callable[[Column, int], Column]

_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)
_INTEGERS = ("tinyint", "smallint", "int", "bigint")

# No names of anybody's columns.
_PLACE = "__muntin_place"
_MADE = "__muntin_made"


class Resampled(Unfinished):
    """The grid of :func:`resample`, which waits for what is to be said at its places."""

    _function = "resample"
    _waiting = "its grid waits for what is to be said at its places"
    _next = ".fill('last'), .agg(F.avg('x'), …) or .time_weighted_avg('x')"

    def __init__(self, rows: DataFrame, time: str, kind: str, step: int, by: list[str]) -> None:
        self._rows = rows
        self._time = time
        self._kind = kind
        self._step = step
        self._by = by

    def agg(self, *aggregates: Column | dict[str, str]) -> DataFrame:
        """Aggregate the rows of each step: those at its place, and behind it before the next.

        Parameters
        ----------
        *aggregates : Column or dict
            Any aggregates, such as ``F.avg("x").alias("mean")``, or ``{"x": "avg"}``.

        Returns
        -------
        DataFrame
            The columns of ``by``, the time of each step from a group's first row to its last, and
            the aggregates. A step without a row has those of nothing: a count of 0, a sum that is
            null.

        Raises
        ------
        TypeError
            If there is no aggregate, or one is no Column.

        Examples
        --------
        See :func:`resample`.
        """
        return self._steps(self._rows, "left", *aggregates)

    def time_weighted_avg(self, *columns: str, method: str = "locf") -> DataFrame:
        """Give each step the average over its time, also where no row lies in it.

        A value holds until the next one, whichever step this is in; or it goes along a line to it.
        The first step counts from a group's first row on, and the last until its last row.

        Parameters
        ----------
        *columns : str
            Names of columns of numbers. A null is a value that is not there.
        method : str
            ``"locf"``, the last observation carried forward, or ``"linear"``.

        Returns
        -------
        DataFrame
            The columns of ``by``, the time of each step from a group's first row to its last, and
            for each column a double, correctly rounded; null where no time passes between the
            first value of the step and the last.

        Raises
        ------
        ValueError
            If there is no column, or no such method.
        AnalysisException
            If a column is no number.

        Examples
        --------
        >>> import muntin as mt
        >>> readings = spark.createDataFrame([(1, 10.0), (9, 18.0), (12, 20.0)], "t int, x double")
        >>> mt.resample(readings, "t", 5).time_weighted_avg("x").orderBy("t").show()
        +---+----+
        |  t|   x|
        +---+----+
        |  0|10.0|
        |  5|11.6|
        | 10|18.0|
        +---+----+
        """
        if not columns or not all(isinstance(name, str) for name in columns):
            raise ValueError(
                f"resample: columns are {columns!r}; expected are names, as in "
                ".time_weighted_avg('x')"
            )
        ways = {"locf": "last", "linear": "linear"}
        if method not in ways:
            raise ValueError(f"resample: method is {method!r}; expected is 'locf' or 'linear'")
        # With the values at the places, each step knows what holds where it begins and ends.
        values = [name for name in self._values() if _is_among(name, columns)]
        return self._steps(
            self._filled(values, ways[method], None),
            "both",
            *(
                _functions.time_weighted_avg(
                    F.col(_quoted(name)), F.col(_quoted(self._time)), method
                ).alias(name)
                for name in columns
            ),
        )

    def _steps(
        self, rows: DataFrame, closed: str, *aggregates: Column | dict[str, str]
    ) -> DataFrame:
        """Aggregate rows in each step."""
        end = F.col(_PLACE) + F.lit(self._step)
        grid = self._grid(_floor, _floor)
        places = grid.select(*self._keys(), self._at(F.col(_PLACE)), self._at(end).alias(_MADE))
        windows = _functions.window_by(
            rows,
            places,
            time=F.col(_quoted(self._time)),
            start=F.col(_quoted(self._time)),
            end=_MADE,
            on=[(F.col(_quoted(name)), F.col(_quoted(name))) for name in self._by] or None,
            closed=closed,
        )
        return windows.agg(*aggregates).drop(_MADE)

    def fill(self, method: str = "last", max_gap: Step | None = None) -> DataFrame:
        """Give each place of the grid the values of the rows around it.

        Parameters
        ----------
        method : str
            As of :func:`fill`: ``"last"``, the value of the last row at the place or before,
            carried forward; ``"next"``, of the first row at the place or behind; ``"nearest"``;
            ``"linear"``, on the line between the two, of columns of numbers.
        max_gap : number, timedelta or str, optional
            How far away a value may be that is taken, and with ``"linear"`` how far apart the two
            values.

        Returns
        -------
        DataFrame
            The columns of the rows, for each place from a group's first row to its last. A value
            that is null in a row is one that is not there. ``filled`` says whether the rows have
            none at this very time.

        Raises
        ------
        ValueError
            If the rows have a column ``filled``.
        AnalysisException
            If there is no such method, or a column is no number where values are to lie on a line.

        Examples
        --------
        See :func:`resample`.
        """
        if "filled" in (name.lower() for name in self._rows.columns):
            raise ValueError("resample: the rows have a column filled already; rename it")
        return self._filled(self._values(), method, max_gap).where(_MADE).drop(_MADE)

    def _values(self) -> list[str]:
        named = (self._time, *self._by)
        return [name for name in self._rows.columns if not _is_among(name, named)]

    def _filled(self, values: list[str], method: str, max_gap: Step | None) -> DataFrame:
        """Give the rows and the places, with the values that are there or filled in."""
        types = dict(self._rows.dtypes)
        grid = self._grid(_ceiling, _floor).where(F.col(_PLACE).isNotNull())
        places = grid.select(
            *self._keys(),
            self._at(F.col(_PLACE)),
            *(F.lit(None).cast(types[name]).alias(name) for name in values),
            F.lit(True).alias(_MADE),
        )
        rows = self._rows.where(F.col(_quoted(self._time)).isNotNull()).select(
            *self._keys(),
            F.col(_quoted(self._time)),
            *(F.col(_quoted(name)) for name in values),
            F.lit(False).alias(_MADE),
        )
        # A row at a place comes before it where values are carried forward, else behind it.
        made = F.col(_MADE).desc() if method == "next" else F.col(_MADE).asc()
        keys = [F.col(_quoted(name)) for name in self._by]
        time = F.col(_quoted(self._time))
        around = Window.partitionBy(*keys).orderBy(time, made)
        peers = Window.partitionBy(*keys).orderBy(time).rangeBetween(0, 0)
        return rows.unionByName(places).select(
            *self._keys(),
            time,
            *(
                _functions.fill(F.col(_quoted(name)), method, max_gap).over(around).alias(name)
                for name in values
            ),
            F.min(_MADE).over(peers).alias("filled"),
            _MADE,
        )

    def _keys(self) -> list[Column]:
        return [F.col(_quoted(name)) for name in self._by]

    def _grid(self, first: Rounding, last: Rounding) -> DataFrame:
        """Give the places of each group, as numbers."""
        number = self._number()
        ends = self._rows.groupBy(*self._keys()).agg(
            first(F.min(number), self._step).alias("__muntin_first"),
            last(F.max(number), self._step).alias("__muntin_last"),
        )
        places = F.sequence("__muntin_first", "__muntin_last", F.lit(self._step).cast("bigint"))
        there = F.col("__muntin_first") <= F.col("__muntin_last")
        return ends.where(there).select(*self._keys(), F.explode(places).alias(_PLACE))

    def _number(self) -> Column:
        time = F.col(_quoted(self._time))
        if self._kind == "date":
            return F.unix_date(time).cast("bigint")
        if self._kind in _INTEGERS:
            return time.cast("bigint")
        return _calls.call("row_time", time)

    def _at(self, place: Column) -> Column:
        """Give the time of a place."""
        if self._kind == "timestamp":
            at = F.timestamp_micros(place)
        elif self._kind == "date":
            at = F.date_from_unix_date(place.cast("int"))
        elif self._kind in _INTEGERS:
            at = place.cast(self._kind)
        else:
            zero = F.lit(0)
            seconds = (place.cast("decimal(20,0)") / F.lit(1_000_000)).cast("decimal(18,6)")
            at = F.lit("1970-01-01 00:00:00").cast("timestamp_ntz") + F.make_dt_interval(
                zero, zero, zero, seconds
            )
        return at.alias(self._time)


def resample(rows: DataFrame, time: str, every: Step, *, by: Names | None = None) -> Resampled:
    """Put rows on a grid of times: a row for each step, also where there is none.

    The grid of each group goes from its first row to its last, by steps that are counted from
    1970-01-01 00:00 (UTC, of a TIMESTAMP), or from 0. For steps by the calendar see :func:`ticks`.

    Parameters
    ----------
    rows : DataFrame
        The rows; those without a time are left out. No stream.
    time : str
        The name of their time: a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer.
    every : timedelta, str or int
        How long a step is, more than zero: of timestamps a timedelta, seconds, or a str such as
        ``"5 minutes"``, of dates whole days, of integers an int.
    by : str or sequence of str, optional
        The names of the groups' columns.

    Returns
    -------
    Resampled
        The grid; ``.fill("last")`` gives the values of the rows around each place,
        ``.agg(F.avg("x"))`` the aggregates of the rows of each step,
        ``.time_weighted_avg("x")`` the average over each step's time.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If ``every`` is not positive, or does not fit the time; the time is of another type; the
        rows are a stream.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> rows = [(1, 10.0), (9, 18.0), (12, 20.0), (21, 2.0)]
    >>> readings = spark.createDataFrame(rows, "t int, x double")
    >>> mt.resample(readings, "t", 3).fill("linear").orderBy("t").show()
    +---+----+------+
    |  t|   x|filled|
    +---+----+------+
    |  3|12.0|  true|
    |  6|15.0|  true|
    |  9|18.0| false|
    | 12|20.0| false|
    | 15|14.0|  true|
    | 18| 8.0|  true|
    | 21| 2.0| false|
    +---+----+------+

    >>> steps = mt.resample(readings, "t", 5).agg(F.count("*").alias("n"), F.max("x").alias("x"))
    >>> steps.orderBy("t").show()
    +---+---+----+
    |  t|  n|   x|
    +---+---+----+
    |  0|  1|10.0|
    |  5|  1|18.0|
    | 10|  1|20.0|
    | 15|  0|NULL|
    | 20|  1| 2.0|
    +---+---+----+
    """
    if not _kinds.is_frame(rows):
        raise TypeError(f"resample: rows is {rows!r}; expected is a DataFrame")
    if not isinstance(time, str):
        raise TypeError(f"resample: time is {time!r}; expected is the name of a column")
    names = [] if by is None else [by] if isinstance(by, str) else by
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"resample: by is {by!r}; expected are names of columns")
    _calls.require("resample", rows.sparkSession)
    if rows.isStreaming:
        raise ValueError(
            "resample: rows is a stream, whose groups have no last row; group by mt.ticks(…) or "
            "mt.field_window(…), or join mt.clock(…) to it with mt.asof_join"
        )
    kind = dict(rows.select(F.col(_quoted(time)).alias("t")).dtypes)["t"]
    return Resampled(rows, time, kind, _step(time, kind, every), list(names))


def _step(time: str, kind: str, every: object) -> int:
    if not isinstance(every, (int, float, timedelta, str)) or isinstance(every, bool):
        raise TypeError(
            f"resample: every is {every!r}; expected is a timedelta, a str such as '5 minutes' or "
            "a number"
        )
    unit: timedelta | int
    if kind in ("timestamp", "timestamp_ntz"):
        unit = _MICROSECOND
        length = timedelta(seconds=every) if isinstance(every, (int, float)) else every
    elif kind == "date":
        unit = _DAY
        length = timedelta(days=every) if isinstance(every, (int, float)) else every
    elif kind in _INTEGERS:
        if not isinstance(every, int):
            raise ValueError(f"resample: every is {every!r}, and {time} is {kind}; say an int")
        if every <= 0:
            raise ValueError(f"resample: every is {every!r}; expected is more than zero")
        return every
    else:
        raise ValueError(
            f"resample: time is {time!r}, of type {kind}; expected is a TIMESTAMP, TIMESTAMP_NTZ, "
            "DATE or integer"
        )
    if isinstance(length, str):
        length = _durations.duration("resample", "every", length)
    if length <= timedelta(0):
        raise ValueError(f"resample: every is {every!r}; expected is more than zero")
    if length % unit:
        raise ValueError(f"resample: every is {every!r}, and {time} a date; say whole days")
    return length // unit


def _floor(number: Column, step: int) -> Column:
    return number - F.pmod(number, F.lit(step))


def _ceiling(number: Column, step: int) -> Column:
    return _floor(number + F.lit(step - 1), step)


def _is_among(name: str, names: Sequence[str]) -> bool:
    return name.lower() in (other.lower() for other in names)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
