"""Types of the arguments of Muntin's functions, to annotate code that calls them.

Signatures in ``help()`` show these names.

Examples
--------
>>> from muntin.typing import ColumnOrName, DurationLike
>>> def recent_mean(column: ColumnOrName, length: DurationLike = "1 hour"): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Callable, Literal, Union

from pyspark.sql import Column, DataFrame, GroupedData

if TYPE_CHECKING:
    from muntin._window_by import WindowBy

__all__ = [
    "ArrayFormat",
    "AsofDirection",
    "ClosedEnd",
    "ClosedEnds",
    "ColumnNames",
    "ColumnOrName",
    "ColumnsOrNames",
    "DurationLike",
    "EmittedWindows",
    "FillMethod",
    "FrameExclusion",
    "InterpolationMethod",
    "JoinKeys",
    "JoinType",
    "NameOrPair",
    "NumberOrDuration",
    "OpenedWindows",
    "OutputMode",
    "RangeBound",
    "RowsBound",
    "WindowLike",
]

ColumnOrName = Union[Column, str]
"""A column: a Column, or the name of one."""

ColumnsOrNames = Union[ColumnOrName, Sequence[ColumnOrName]]
"""One column or several, each a Column or a name."""

ColumnNames = Union[str, Sequence[str]]
"""The name of a column, or the names of several."""

NameOrPair = Union[str, tuple[str, str]]
"""A column of both sides of :func:`asof_join`: one name for both, or a name for each."""

JoinKeys = Union[str, Sequence[Union[str, tuple[ColumnOrName, ColumnOrName]]]]
"""Columns that :func:`window_by` compares: a name, or a sequence of names and pairs.

A pair has a column of ``source`` and a column of ``anchors``.
"""

DurationLike = Union[timedelta, str]
"""A duration: a timedelta, or a str such as ``"1 hour"``, as in Spark's ``window``."""

NumberOrDuration = Union[int, float, Decimal, timedelta, str]
"""A distance along an order: of numbers a number, of times a ``DurationLike``."""

RowsBound = Union[int, Column, None]
"""An end of a frame of ROWS or GROUPS, counted from the current row; it is negative before the row.

A Column gives the distance for each row. None is the end of the partition.
"""

RangeBound = Union[timedelta, str, int, Column, None]
"""An end of a frame of RANGE: a distance from the value of the current row, negative before it.

A Column gives the distance for each row. None is the end of the partition.
"""

WindowLike = Union[Column, Callable[[DataFrame], Union[GroupedData, "WindowBy"]]]
"""A window that :func:`picture` draws.

It is an aggregate over a window, a window of GROUP BY, or a function that groups a DataFrame.
"""

ClosedEnds = Literal["both", "left", "right", "neither"]
"""The ends that belong to a window."""

ClosedEnd = Literal["left", "right"]
"""The end that belongs to a window."""

FrameExclusion = Literal["no others", "current row", "group", "ties"]
"""The rows that a frame excludes, as SQL's EXCLUDE.

``"group"`` is the current row with its peers, ``"ties"`` the peers without the row.
"""

FillMethod = Literal["linear", "last", "next", "nearest"]
"""The value that fills a gap: on the line between its neighbors, or the value of one of them."""

InterpolationMethod = Literal["locf", "linear"]
"""The value between two rows: the last observation carried forward, or on the line between both."""

OpenedWindows = Literal["single", "all"]
"""The windows that :func:`field_window` opens at a group's first row and after a gap.

``"single"`` opens one window, ``"all"`` every window that contains the row.
"""

EmittedWindows = Literal["change", "element"]
"""The windows of :func:`validity`: one for each change of the valid rows, or one for each row."""

AsofDirection = Literal["backward", "forward", "nearest"]
"""Where an as-of join searches for a row: at or before a time, at or after it, or on both sides."""

JoinType = Literal[
    "left",
    "leftouter",
    "left_outer",
    "inner",
    "leftsemi",
    "left_semi",
    "semi",
    "leftanti",
    "left_anti",
    "anti",
]
"""The join types of :func:`asof_join`, in Spark's spellings."""

OutputMode = Literal["append", "update"]
"""The output mode of a streaming query: final results, or also results that may change."""

ArrayFormat = Literal["arrow", "numpy", "list"]
"""The arrays that an aggregate in Python receives: of pyarrow, of numpy, or lists."""
