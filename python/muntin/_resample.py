"""Rows on a grid of times: ``resample``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muntin import _arguments as check
from muntin import _calls, _kinds
from muntin._arguments import Names, Step
from muntin._errors import MuntinValueError, invalid_type, invalid_value
from muntin._unfinished import Unfinished


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
        return self._rows.agg(self._call(), *check.aggregates("resample", aggregates))

    def time_weighted_avg(
        self, *columns: str, method: Literal["locf", "linear"] = "locf"
    ) -> DataFrame:
        """Give each step the average over its time, also where no row lies in it.

        A value holds until the next one, whichever step this is in; or it goes along a line to it.
        The first step counts from a group's first row on, and the last until its last row.

        Parameters
        ----------
        *columns : str
            Names of columns of numbers. A null is a value that is not there.
        method : {"locf", "linear"}
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
            expected = "names of columns, as in .time_weighted_avg('x')"
            raise invalid_value("resample", "columns", columns, expected)
        if method not in ("locf", "linear"):
            raise invalid_value("resample", "method", method, "'locf' or 'linear'")
        return self._rows.select(
            self._call(time_weighted_avg=_quoted(columns), method=F.lit(method))
        )

    def fill(
        self,
        method: Literal["last", "next", "nearest", "linear"] = "last",
        max_gap: Step | None = None,
    ) -> DataFrame:
        """Give each place of the grid the values of the rows around it.

        Parameters
        ----------
        method : {"last", "next", "nearest", "linear"}
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
            raise MuntinValueError("MUNTIN_DUPLICATE_FILLED_COLUMN")
        gap = check.or_null(check.step, "fill", "max_gap", max_gap)
        return self._rows.select(
            self._call(fill=check.text("resample", "method", method), max_gap=gap)
        )

    def _call(self, **said: Column) -> Column:
        """Call SQL's ``resample``, which the analyzer makes a query of."""
        absent = F.lit(None)
        return _calls.call(
            "resample",
            absent,
            _quoted([self._time]),
            self._every,
            _quoted(self._by) if self._by else absent,
            *(
                said.get(name, absent)
                for name in ("fill", "max_gap", "aggregates", "time_weighted_avg", "method")
            ),
        )


def resampled(rows: DataFrame, time: str, every: Step, by: Names | None) -> Resampled:
    """Give the grid of these arguments of ``resample``."""
    if not _kinds.is_frame(rows):
        raise invalid_type("resample", "rows", rows, "a DataFrame")
    if not isinstance(time, str):
        raise invalid_type("resample", "time", time, "the name of a column")
    step = check.step("resample", "every", every)
    names = [] if by is None else check.names("resample", "by", by)
    _calls.require("resample", rows.sparkSession)
    return Resampled(rows, time, step, names)


def _quoted(names: Sequence[str]) -> Column:
    """Give names of columns as SQL has them in a list."""
    return F.lit(", ".join("`" + name.replace("`", "``") + "`" for name in names))
