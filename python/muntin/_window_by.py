"""Windows that another table defines, and ``clock``, a table of regular times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from muntin import _arguments as check
from muntin import _calls, _durations, _kinds
from muntin._errors import MuntinTypeError, MuntinValueError, invalid_type, invalid_value
from muntin._unfinished import Unfinished
from muntin.typing import ColumnOrName, DurationLike, JoinKeys

# A name of a column, or of a column's field, without quotes.
_NAME = re.compile(r"[\w.]+")

_UTC = timezone.utc

# Names that users' columns do not have.
_ANCHOR = "__muntin_anchor"


class WindowBy(Unfinished):
    """The windows of :func:`window_by`; ``agg`` computes their aggregates."""

    _function = "window_by"
    _waiting = "its windows wait for their aggregates"
    _next = ".agg(F.avg('x'), …)"

    def __init__(
        self,
        source: DataFrame,
        anchors: DataFrame,
        time: Column,
        parts: dict[str, Column],
        keys: list[Column],
        closed: Column,
        ordered: Column,
    ) -> None:
        self._source = source
        self._anchors = anchors
        self._time = time
        self._parts = parts
        self._keys = keys
        self._closed = closed
        self._ordered = ordered

    def agg(self, *aggregates: Column | dict[str, str]) -> DataFrame:
        """Aggregate the rows of each window.

        Parameters
        ----------
        *aggregates : Column or dict
            Any aggregates of columns of ``source``, such as ``F.avg("x").alias("mean")``. Combine
            them with columns of the anchors afterwards. Like pyspark's groupBy, it accepts a dict:
            ``{"x": "avg", "*": "count"}``.

        Returns
        -------
        DataFrame
            Every row of ``anchors`` with all its columns, and the aggregates. An empty window has a
            count of 0 and a null sum.

        Raises
        ------
        TypeError
            If an aggregate is missing or is not a Column.
        AnalysisException
            If a column or a word for ``closed`` is unknown, the types of the times do not agree, or
            an argument is not an aggregate of the source.

        Examples
        --------
        See :func:`window_by`.
        """
        columns = check.aggregates("window_by", aggregates)
        packed = self._anchors.select(
            F.struct("*").alias(_ANCHOR),
            *(column.alias(_part(name)) for name, column in self._parts.items()),
        )
        equal = [F.col(_part(f"key_{i}")) == key for i, key in enumerate(self._keys)]
        inside = _calls.call(
            "window_by",
            F.col(_ANCHOR),
            self._time,
            F.col(_part("start")),
            F.col(_part("end")),
            F.struct(*equal) if equal else F.lit(None),
            self._closed,
            *(
                F.col(_part(name)) if name in self._parts else F.lit(None)
                for name in ("obsolete", "order")
            ),
            self._ordered,
        )
        joined = packed.join(self._source, inside, "left")
        windows = joined.agg(F.first(_ANCHOR).alias(_ANCHOR), *columns)
        return windows.select(f"{_ANCHOR}.*", "*").drop(_ANCHOR)


def windows(
    source: DataFrame,
    anchors: DataFrame,
    time: ColumnOrName,
    start: ColumnOrName,
    end: ColumnOrName,
    on: JoinKeys | None,
    closed: str,
    obsolete: ColumnOrName | None,
    order: ColumnOrName | None,
    ordered: bool,
) -> WindowBy:
    """Return the windows of these arguments of ``window_by``."""
    for name, given in (("source", source), ("anchors", anchors)):
        if not _kinds.is_frame(given):
            raise invalid_type("window_by", name, given, "a DataFrame")
    _calls.require("window_by", source.sparkSession)
    pairs = _pairs(on)
    parts = {
        "start": _of(anchors, "start", start),
        "end": _of(anchors, "end", end),
        **{f"key_{i}": of_anchor for i, (_, of_anchor) in enumerate(pairs)},
    }
    for name, column in (("obsolete", obsolete), ("order", order)):
        if column is not None:
            parts[name] = _of(anchors, name, column)
    return WindowBy(
        source,
        anchors,
        _of(source, "time", time),
        parts,
        [of_source for of_source, _ in pairs],
        check.text("window_by", "closed", closed),
        check.flag("window_by", "ordered", ordered),
    )


def clock(
    spark: SparkSession,
    start: datetime | int | float,
    stop: datetime | int | float | None,
    every: DurationLike | int | float,
    *,
    streaming: bool = False,
    speed: float = 1.0,
) -> DataFrame:
    """Return anchors that tick: a row for ``start``, ``start + every``, … up to ``stop``.

    With ``streaming``, the result is a stream that follows the wall clock: its time advances from
    ``start`` on, and each tick is emitted when its time has passed. The stream has a watermark. A
    new query begins at ``start``; a query with a checkpoint resumes where it stopped.

    Parameters
    ----------
    spark : SparkSession
        The session.
    start, stop : datetime, int or float
        The first tick, and the last possible tick. A datetime without a time zone is in the time
        zone of this Python process, as in pyspark.
    every : timedelta, str, int or float
        The distance between ticks, more than zero: for times a timedelta, or a str such as ``"5
        minutes"``. A day is 24 hours.
    streaming : bool
        Whether to return a stream, of datetimes. ``stop`` may then be None: the clock does not
        stop.
    speed : float
        On a stream, the number of its seconds per second.

    Returns
    -------
    DataFrame
        One column, ``at``: a TIMESTAMP, BIGINT or DOUBLE.

    Raises
    ------
    TypeError
        If the three are not of one kind, or, for a stream, are not datetimes and a timedelta.
    ValueError
        If ``every`` or ``speed`` is not positive, or ``stop`` is before ``start``.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> readings = spark.createDataFrame([(1.0,), (1.2,), (1.6,), (2.9,)], "t double")
    >>> half = mt.clock(spark, 1.0, 3.0, 0.5)
    >>> around = mt.window_by(
    ...     readings, half, time="t", start=F.col("at") - 0.5, end=F.col("at") + 0.5
    ... )
    >>> around.agg(F.count("*").alias("n")).orderBy("at").show()
    +---+---+
    | at|  n|
    +---+---+
    |1.0|  2|
    |1.5|  3|
    |2.0|  1|
    |2.5|  1|
    |3.0|  1|
    +---+---+

    From now on, a row each minute:

    >>> from datetime import datetime
    >>> ticks = mt.clock(spark, datetime.now(), None, "1 minute", streaming=True)
    >>> ticks.isStreaming, ticks.columns
    (True, ['at'])
    """
    if isinstance(every, str):
        every = _durations.duration("clock", "every", every)
    if streaming:
        return _streaming_clock(spark, start, stop, every, speed)
    if all(_is_number(n) for n in (start, stop, every)):
        ticks = _ticks(start, stop, every)
        return spark.range(ticks).select(
            (F.lit(start) + F.col("id") * F.lit(every)).cast(_type(start, every)).alias("at")
        )
    if isinstance(start, datetime) and isinstance(stop, datetime) and isinstance(every, timedelta):
        # In UTC, where a day always has 24 hours.
        first, last = start.astimezone(_UTC), stop.astimezone(_UTC)
        ticks = _ticks(first, last, every)
        return spark.range(ticks).select(
            (F.lit(first) + F.col("id") * F.lit(every)).alias("at"),
        )
    raise MuntinTypeError(
        "MUNTIN_INVALID_CLOCK",
        start=repr(start),
        stop=repr(stop),
        every=repr(every),
        expected="two datetimes and a timedelta, or numbers",
    )


def _streaming_clock(
    spark: SparkSession, start: object, stop: object, every: object, speed: object
) -> DataFrame:
    if not (
        isinstance(start, datetime)
        and (stop is None or isinstance(stop, datetime))
        and isinstance(every, timedelta)
    ):
        raise MuntinTypeError(
            "MUNTIN_INVALID_CLOCK",
            start=repr(start),
            stop=repr(stop),
            every=repr(every),
            expected="a datetime, a datetime or None, and a timedelta for a stream",
        )
    if not isinstance(speed, (int, float)) or isinstance(speed, bool):
        raise invalid_type("clock", "speed", speed, "a number")
    step = round(speed * 1_000_000)
    if step <= 0:
        raise invalid_value("clock", "speed", speed, "a number above zero")
    first = start.astimezone(_UTC)
    if stop is not None:
        _ticks(first, stop.astimezone(_UTC), every)
    elif not every > timedelta(0):
        raise invalid_value("clock", "every", every, "a duration above zero")
    micros = every // timedelta(microseconds=1)

    def passed(seconds: str) -> str:
        return f"({seconds} * {step}L + {micros - 1}L) DIV {micros}L"

    # Each row of the rate source is a second of the wall clock, with any number of ticks.
    seconds = spark.readStream.format("rate").option("rowsPerSecond", 1).load()
    epoch = datetime(1970, 1, 1, tzinfo=_UTC)
    ticks = (
        seconds.selectExpr(f"{passed('value')} AS since", f"{passed('(value + 1)')} AS until")
        .where("since < until")
        .selectExpr("explode(sequence(since, until - 1)) AS tick")
        .selectExpr(
            f"timestamp_micros({(first - epoch) // timedelta(microseconds=1)}L"
            f" + tick * {micros}L) AS at"
        )
        .withWatermark("at", "0 seconds")
    )
    # After the watermark, which continues to advance, so that the last ticks have results.
    return ticks if stop is None else ticks.where(F.col("at") <= F.lit(stop.astimezone(_UTC)))


def _of(frame: DataFrame, parameter: str, value: object) -> Column:
    """Return a column. If a str looks like an expression, check that a column has this name."""
    column = check.column("window_by", parameter, value)
    if isinstance(value, str) and not _NAME.fullmatch(value):
        try:
            _ = frame.select(column).schema
        except AnalysisException:
            raise MuntinValueError(
                "MUNTIN_COLUMN_NOT_FOUND",
                function="window_by",
                parameter=parameter,
                name=value,
                expression=f"F.expr({value!r})",
            ) from None
    return column


def _part(name: str) -> str:
    return f"__muntin_{name}"


def _pairs(on: JoinKeys | None) -> list[tuple[Column, Column]]:
    if on is None:
        return []
    names = [on] if isinstance(on, str) else on
    if not isinstance(names, Sequence):
        raise _not_keys(on)
    return [_pair(name) for name in names]


def _pair(key: object) -> tuple[Column, Column]:
    if isinstance(key, str):
        return F.col(key), F.col(key)
    if isinstance(key, tuple) and len(key) == 2:
        return check.column("window_by", "on", key[0]), check.column("window_by", "on", key[1])
    raise _not_keys(key)


def _not_keys(on: object) -> MuntinTypeError:
    expected = "names of columns, or pairs: a column of the source and one of the anchors"
    return invalid_type("window_by", "on", on, expected)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _type(start: object, every: object) -> str:
    return "double" if isinstance(start, float) or isinstance(every, float) else "bigint"


def _ticks(start: Any, stop: Any, every: Any) -> int:
    if not every > every * 0:
        raise invalid_value("clock", "every", every, "a step above zero")
    if not stop >= start:
        raise MuntinValueError("MUNTIN_CLOCK_STOPS_BEFORE_START", start=start, stop=stop)
    ticks = int((stop - start) // every)
    # For floats, the computed last tick may differ from `stop`.
    while start + ticks * every > stop:
        ticks -= 1
    while start + (ticks + 1) * every <= stop:
        ticks += 1
    return ticks + 1
