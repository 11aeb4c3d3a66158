"""``picture``: draws which rows of a sample are in which window."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, GroupedData, Row
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from muntin import _calls, _kinds
from muntin._errors import MuntinValueError, invalid_type, invalid_value
from muntin._functions import window_rows
from muntin._window_by import WindowBy
from muntin.typing import WindowLike

# Names that users' columns do not have.
_ROW = "__muntin_row"
_ROWS = "__muntin_rows"
_WINDOW = "__muntin_window"


class Line(NamedTuple):
    """One window: its label, its rows, the row it belongs to, and its start and end."""

    label: str
    members: frozenset[int]
    own: int | None
    span: tuple[Any, Any] | None


class Picture:
    """Which rows are in which window: an SVG in a notebook, and lines of text elsewhere."""

    def __init__(self, rows: list[str], places: list[Any], lines: list[Line]) -> None:
        self._rows = rows
        self._places = places
        self._lines = lines

    def __str__(self) -> str:
        width = max(len(line.label) for line in self._lines)
        columns = range(len(self._rows))
        return "\n".join(
            f"{line.label:>{width}}  " + " ".join(self._sign(line, row) for row in columns)
            for line in self._lines
        )

    __repr__ = __str__

    @property
    def svg(self) -> str:
        """The picture as an SVG."""
        return _drawn(self._rows, self._places, self._lines)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG to a file.

        Parameters
        ----------
        path : str or path
            The file, such as ``"window.svg"``.
        """
        Path(path).write_text(self.svg, encoding="utf-8")

    @staticmethod
    def _sign(line: Line, row: int) -> str:
        if row == line.own:
            return "◉" if row in line.members else "○"
        return "●" if row in line.members else "·"


def picture(df: DataFrame, window: WindowLike, *, at: str | None = None, rows: int = 12) -> Picture:
    """Draw which rows are in the window of a row, by running the window over a sample.

    The picture has a line for each window, with a dot for each row of the sample. The dot is filled
    if the row is in the window; a ring marks the row that the window belongs to.

    Parameters
    ----------
    df : DataFrame
        The rows. Sort it, and filter it to one key, for a picture that is easy to read.
    window : Column or callable
        Any aggregate over a window; or a window of groups, as in ``groupBy``; or, for
        :func:`window_by` and for ``groupBy`` by several columns, a function that takes the sample
        and returns the grouped data.
    at : str, optional
        A column of times or numbers, the horizontal axis. Windows of groups are drawn from their
        start to their end. By default rows are drawn side by side.
    rows : int, default 12
        The size of the sample: the first rows of ``df``.

    Returns
    -------
    Picture
        A notebook shows it as an SVG, ``print`` as text; ``save(path)`` writes the SVG.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If ``df`` is a stream or empty, ``rows`` is less than one, or ``at`` is null.
    AnalysisException
        If ``window`` is neither an aggregate over a window nor a window of groups of these rows.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import functions as F
    >>> print(mt.picture(spark.range(5), mt.rolling(F.sum("id"), 3, order_by="id")))
    0  ○ · · · ·
    1  · ○ · · ·
    2  ● ● ◉ · ·
    3  · ● ● ◉ ·
    4  · · ● ● ◉
    """
    if not _kinds.is_frame(df):
        raise invalid_type("picture", "df", df, "a DataFrame")
    if not (_kinds.is_column(window) or callable(window)):
        expected = "an aggregate over a window, a window of groups, or a function of the rows"
        raise invalid_type("picture", "window", window, expected)
    if not (at is None or isinstance(at, str)):
        raise invalid_type("picture", "at", at, "the name of a column")
    if isinstance(rows, bool) or not isinstance(rows, int):
        raise invalid_type("picture", "rows", rows, "an int")
    if rows < 1:
        raise invalid_value("picture", "rows", rows, "a positive number of rows")
    if df.isStreaming:
        raise MuntinValueError("MUNTIN_PICTURE_OF_STREAM")
    _calls.require("picture", df.sparkSession)
    found = df.limit(rows).collect()
    if not found:
        raise MuntinValueError("MUNTIN_PICTURE_WITHOUT_ROWS")
    numbered = _numbered(df, found)
    places = list(range(len(found))) if at is None else _places(numbered, at)
    names = _words(places)
    return Picture(names, places, _lines(numbered, window, names, at is not None))


def _places(rows: DataFrame, at: str) -> list[Any]:
    found = sorted(rows.select(_ROW, at).collect(), key=lambda row: int(row[0]))
    places = [place for _, place in found]
    if None in places:
        raise MuntinValueError("MUNTIN_PICTURE_OF_NULL", column=at, row=places.index(None))
    if not hasattr(places[0], "__sub__"):
        raise invalid_type("picture", "at", places[0], "a column of times or numbers")
    return places


def _numbered(df: DataFrame, rows: list[Row]) -> DataFrame:
    schema = StructType([*df.schema.fields, StructField(_ROW, LongType())])
    return df.sparkSession.createDataFrame(
        [(*row, number) for number, row in enumerate(rows)], schema
    )


def _lines(rows: DataFrame, window: WindowLike, names: list[str], is_placed: bool) -> list[Line]:
    if not _kinds.is_column(window):
        return _of_groups(window(rows), names, is_placed)
    try:
        with _quiet():
            found = rows.select(_ROW, window_rows(window, _ROW)).collect()
    except AnalysisException as no_rows:
        try:
            with _quiet():
                groups = rows.groupBy(window.alias(_WINDOW))
                return _of_groups(groups, names, is_placed)
        except AnalysisException:
            raise no_rows from None
    return [
        Line(names[own], frozenset(members or ()), own, None)
        for own, members in sorted(found, key=lambda row: row[0])
    ]


@contextmanager
def _quiet() -> Iterator[None]:
    """Prevent pyspark from logging an expected error."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # before Spark 4.0, which does not log errors
        yield
        return
    logger = PySparkLogger.getLogger("DataFrameQueryContextLogger")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def _of_groups(groups: GroupedData | WindowBy, names: list[str], is_placed: bool) -> list[Line]:
    if not hasattr(groups, "agg") or _kinds.is_frame(groups):
        expected = "a function that returns groups or a window_by, without agg"
        raise invalid_type("picture", "window", groups, expected)
    found = groups.agg(F.collect_list(_ROW).alias(_ROWS)).collect()
    lines = [_of_group(row.asDict(), names, is_placed) for row in found]
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])]


def _of_group(
    row: dict[str, Any], names: list[str], is_placed: bool
) -> tuple[tuple[Any, ...], Line]:
    members, own = row.pop(_ROWS), row.pop(_ROW, None)
    spans = [value for value in row.values() if isinstance(value, Row) and len(value) >= 2]
    span = (spans[0][0], spans[0][1]) if spans else None
    label = names[own] if own is not None else ", ".join(map(_of_value, row.values()))
    order = (own is not None, own or 0, span is not None, *(span or ()), label)
    return order, Line(label, frozenset(members), own, span if is_placed else None)


def _of_value(value: Any) -> str:
    if isinstance(value, Row):
        start, end = _words([value[0], value[1]]) if len(value) >= 2 else ("", "")
        return f"{start} to {end}"
    return _words([value])[0]


def _words(values: Sequence[Any]) -> list[str]:
    """Return the shortest distinct texts of the values: times of one day without the day."""
    if all(isinstance(value, datetime) for value in values):
        if len({value.date() for value in values}) > 1:
            return [f"{value:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00") for value in values]
        return [f"{value:%H:%M:%S}" for value in values]
    return [str(value) for value in values]


_STEP = 26
_COLUMN = 34
_RADIUS = 6


def _drawn(rows: list[str], places: list[Any], lines: list[Line]) -> str:
    ends = [end for line in lines if line.span for end in line.span if end is not None]
    first, last = min([*places, *ends]), max([*places, *ends])
    width = _COLUMN * max(len(rows) - 1, 1)

    def x(place: Any) -> float:
        share = (place - first) / (last - first) if last != first else 0.5
        return round(margin + float(share) * width, 1)

    margin = 24 + 7 * max(len(line.label) for line in lines)
    height = _STEP * len(lines) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{margin + width + 24}" height="{height}" '
        f'viewBox="0 0 {margin + width + 24} {height}" font-family="sans-serif" font-size="12">'
    ]
    for number, line in enumerate(lines):
        y = _STEP * number + _STEP // 2 + 4
        parts.append(
            f'<text x="{margin - 16}" y="{y + 4}" text-anchor="end" fill="#808080">'
            f"{escape(line.label)}</text>"
        )
        members = [x(places[row]) for row in line.members]
        if line.span and None not in line.span:
            bar = (x(line.span[0]), x(line.span[1]))
        elif members:
            bar = (min(members) - _RADIUS - 2, max(members) + _RADIUS + 2)
        else:
            bar = None
        if bar:
            parts.append(
                f'<rect x="{bar[0]:.1f}" y="{y - _RADIUS - 2}" width="{bar[1] - bar[0]:.1f}" '
                f'height="{2 * _RADIUS + 4}" rx="4" fill="#4c8bd0" fill-opacity="0.2"/>'
            )
        for row, place in enumerate(places):
            inside = row in line.members
            if row == line.own:
                ring = f'cx="{x(place)}" cy="{y}" r="{_RADIUS}"'
                parts.append(f'<circle {ring} fill="none" stroke="#e07b39" stroke-width="2"/>')
            dot = f'<circle cx="{x(place)}" cy="{y}" r="{4 if inside else 2}"'
            parts.append(f'{dot} fill="{"#4c8bd0" if inside else "#a0a0a0"}"/>')
    return "\n".join([*parts, "</svg>", ""])
