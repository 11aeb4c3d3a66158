"""Rows on a grid of times: ``resample``."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muntin import _arguments as check
from muntin import _calls, _kinds
from muntin._errors import MuntinValueError, invalid_type, invalid_value
from muntin._unfinished import Unfinished
from muntin.typing import ColumnNames, FillMethod, InterpolationMethod, NumberOrDuration


class Resampled(Unfinished):
    """The grid of :func:`resample`; a method computes its rows."""

    _function = "resample"
    _waiting = "its grid requires a method that fills its steps"
    _next = ".fill('last'), .agg(F.avg('x'), …) or .time_weighted_avg('x')"

    def __init__(self, rows: DataFrame, time: str, every: Column, by: list[str]) -> None:
        self._rows = rows
        self._time = time
        self._every = every
        self._by = by

    def agg(self, *aggregates: Column | dict[str, str]) -> DataFrame:
        """Aggregate the rows of each step: at its time, and after it before the next step.

        Parameters
        ----------
        *aggregates : Column or dict
            Any aggregates, such as ``F.avg("x").alias("mean")``, or ``{"x": "avg"}``.

        Returns
        -------
        DataFrame
            The columns of ``by``, the time of each step from a group's first row to its last, and
            the aggregates. A step without rows has a count of 0 and a null sum.

        Raises
        ------
        TypeError
            If an aggregate is missing or is not a Column.

        Examples
        --------
        See :func:`resample`.
        """
        return self._rows.agg(self._call(), *check.aggregates("resample", aggregates))

    def time_weighted_avg(self, *columns: str, method: InterpolationMethod = "locf") -> DataFrame:
        """Average the columns over the time of each step, even if the step has no rows.

        A value holds until the next value, in any step, or changes along a line to the next value.
        The first step begins at a group's first row, and the last step ends at its last row.

        Parameters
        ----------
        *columns : str
            The names of numeric columns. Nulls are ignored.
        method : {"locf", "linear"}
            ``"locf"``, the last observation carried forward, or ``"linear"``.

        Returns
        -------
        DataFrame
            The columns of ``by``, the time of each step from a group's first row to its last, and
            for each column a double, correctly rounded; null if no time passes between the first
            value of the step and the last.

        Raises
        ------
        ValueError
            If a column is missing, or ``method`` is another word.
        AnalysisException
            If a column is not a number.

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
        method: FillMethod = "last",
        max_gap: NumberOrDuration | None = None,
    ) -> DataFrame:
        """Fill each step of the grid with the values of the rows around it.

        Parameters
        ----------
        method : {"last", "next", "nearest", "linear"}
            As in :func:`fill`: ``"last"``, the value of the last row at the time or before it;
            ``"next"``, of the first row at the time or after it; ``"nearest"``; ``"linear"``, on
            the line between the two, for numeric columns.
        max_gap : number, timedelta or str, optional
            The maximum distance of a value and, with ``"linear"``, between the two values.

        Returns
        -------
        DataFrame
            The columns of the rows, for each step from a group's first row to its last. Nulls are
            ignored. ``filled`` is true if the group does not have a row at exactly this time.

        Raises
        ------
        ValueError
            If the rows have a column ``filled``.
        AnalysisException
            If ``method`` is another word, or is ``"linear"`` and a column is not a number.

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
        """Call SQL's ``resample``, which the analyzer replaces by a query."""
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


def resampled(
    rows: DataFrame, time: str, every: NumberOrDuration, by: ColumnNames | None
) -> Resampled:
    """Return the grid of these arguments of ``resample``."""
    if not _kinds.is_frame(rows):
        raise invalid_type("resample", "rows", rows, "a DataFrame")
    if not isinstance(time, str):
        raise invalid_type("resample", "time", time, "the name of a column")
    step = check.step("resample", "every", every)
    names = [] if by is None else check.names("resample", "by", by)
    _calls.require("resample", rows.sparkSession)
    return Resampled(rows, time, step, names)


def _quoted(names: Sequence[str]) -> Column:
    """Return names of columns as a list in SQL."""
    return F.lit(", ".join("`" + name.replace("`", "``") + "`" for name in names))
