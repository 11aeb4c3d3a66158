"""Rows on a grid of times: ``resample``."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muntin import _arguments as check
from muntin import _calls, _kinds
from muntin._arguments import Names, Step
from muntin._unfinished import Unfinished
from muntin._window_by import windows

# No names of anybody's columns.
_FIRST = "__muntin_first"
_LAST = "__muntin_last"
_START = "__muntin_start"
_END = "__muntin_end"
_MADE = "__muntin_made"


class Resampled(Unfinished):
    """The grid of :func:`resample`, which waits for what is to be said at its places."""

    _function = "resample"
    _waiting = "its grid waits for what is to be said at its places"
    _next = ".fill('last'), .agg(F.avg('x'), …) or .time_weighted_avg('x')"

    def __init__(self, rows: DataFrame, time: str, every: Column, by: list[str]) -> None:
        self._rows = rows
        self._time = time
        self._every = every
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
                _calls.call("time_weighted_avg", _col(name), _col(self._time), F.lit(method)).alias(
                    name
                )
                for name in columns
            ),
        )

    def _steps(
        self, rows: DataFrame, closed: str, *aggregates: Column | dict[str, str]
    ) -> DataFrame:
        """Aggregate rows in each step."""
        places = self._grid().select(*self._keys(), F.col(_START).alias(self._time), _END)
        # A group may be that of null, which is equal to nothing; a struct of nulls is to itself.
        key = F.struct(*self._keys())
        found = windows(
            rows,
            places,
            time=_col(self._time),
            start=_col(self._time),
            end=_END,
            on=[(key, key)] if self._by else None,
            closed=closed,
            obsolete=None,
            order=None,
            ordered=False,
        )
        return found.agg(*aggregates).drop(_END)

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
        places = (
            self._grid()
            .where(F.col(_START) >= F.col(_FIRST))
            .select(
                *self._keys(),
                F.col(_START).alias(self._time),
                *(F.lit(None).cast(types[name]).alias(name) for name in values),
                F.lit(True).alias(_MADE),
            )
        )
        rows = self._rows.where(_col(self._time).isNotNull()).select(
            *self._keys(),
            _col(self._time),
            *(_col(name) for name in values),
            F.lit(False).alias(_MADE),
        )
        # A row at a place comes before it where values are carried forward, else behind it.
        made = F.col(_MADE).desc() if method == "next" else F.col(_MADE).asc()
        time = _col(self._time)
        around = Window.partitionBy(*self._keys()).orderBy(time, made)
        peers = Window.partitionBy(*self._keys()).orderBy(time).rangeBetween(0, 0)
        gap = check.or_null(check.step, "fill", "max_gap", max_gap)
        return rows.unionByName(places).select(
            *self._keys(),
            time,
            *(
                _calls.call("fill", _col(name), F.lit(method), gap).over(around).alias(name)
                for name in values
            ),
            F.min(_MADE).over(peers).alias("filled"),
            _MADE,
        )

    def _keys(self) -> list[Column]:
        return [_col(name) for name in self._by]

    def _grid(self) -> DataFrame:
        """Give the steps of each group, from its first row to its last."""
        time = _col(self._time)
        ends = self._rows.groupBy(*self._keys()).agg(
            F.min(time).alias(_FIRST), F.max(time).alias(_LAST)
        )
        steps = _calls.call("time_steps", F.col(_FIRST), F.col(_LAST), self._every)
        return ends.select(*self._keys(), _FIRST, steps.alias(_START, _END))


def resampled(rows: DataFrame, time: str, every: Step, by: Names | None) -> Resampled:
    """Give the grid of these arguments of ``resample``."""
    if not _kinds.is_frame(rows):
        raise TypeError(f"resample: rows is {rows!r}; expected is a DataFrame")
    if not isinstance(time, str):
        raise TypeError(f"resample: time is {time!r}; expected is the name of a column")
    step = check.step("resample", "every", every)
    names = [] if by is None else check.names("resample", "by", by)
    _calls.require("resample", rows.sparkSession)
    if rows.isStreaming:
        raise ValueError(
            "resample: rows is a stream, whose groups have no last row; group by mt.ticks(…) or "
            "mt.field_window(…), or join mt.clock(…) to it with mt.asof_join"
        )
    return Resampled(rows, time, step, names)


def _is_among(name: str, names: Sequence[str]) -> bool:
    return name.lower() in (other.lower() for other in names)


def _col(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")
