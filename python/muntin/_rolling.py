"""The frame of a window of ``rolling``, and the functions that change it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from muntin import _durations
from muntin._errors import MuntinValueError, invalid_type, invalid_value

_CLOSED = ("right", "left", "both", "neither")

_ZERO = timedelta(0)


@dataclass(frozen=True)
class Frame:
    rows: tuple[int | None, int | None] | None
    range: tuple[timedelta, timedelta] | None
    changes: dict[str, Any]  # the arguments of framed()
    shown: str  # the size, as text in the name of a column
    said: list[str]  # the other arguments, as text in the name of a column


def frame(
    size: int | timedelta | str | None, closed: str | None, min_periods: int | None, center: bool
) -> Frame:
    """Return the frame of these arguments of ``rolling``."""
    _check(size, closed, min_periods, center)
    said = [] if closed is None else [f"closed={closed}"]
    said += [] if min_periods is None else [f"min_periods={min_periods}"]
    said += ["center"] if center else []
    least = min_periods or None  # 0 rows are always present
    if size is None:
        return Frame((None, 0), None, {"min_periods": least}, "all", said)
    if isinstance(size, int):
        rows = _rows(size, closed or "right", center)
        complete = True if min_periods is None else None
        return Frame(rows, None, {"complete": complete, "min_periods": least}, str(size), said)
    length = _durations.duration("rolling", "size", size)
    if length < _ZERO:
        raise invalid_value("rolling", "size", size, "a duration of zero or more")
    shown = size if isinstance(size, str) else _durations.text(length)
    changed = None if closed == "both" else closed
    changes = {"closed": changed, "min_periods": least}
    return Frame(None, _range(length, size, center), changes, shown, said)


def _rows(size: int, closed: str, center: bool) -> tuple[int, int]:
    last = (size - 1) // 2 if center else 0
    first = last - size + 1
    if closed in ("left", "both"):
        first -= 1
    if closed in ("left", "neither"):
        last -= 1
    if first > last:
        raise MuntinValueError("MUNTIN_EMPTY_ROLLING_WINDOW", size=size, closed=repr(closed))
    return first, last


def _range(length: timedelta, size: object, center: bool) -> tuple[timedelta, timedelta]:
    if not center:
        return -length, _ZERO
    half = length // 2
    if half * 2 != length:
        raise invalid_value("rolling", "size", size, "an even number of microseconds")
    return -half, half


def _check(size: object, closed: object, min_periods: object, center: object) -> None:
    is_number = isinstance(size, int) and not isinstance(size, bool)
    if size is not None and not is_number and not _durations.is_duration(size):
        expected = "an int, a timedelta, a str such as '1 hour', or None"
        raise invalid_type("rolling", "size", size, expected)
    if isinstance(size, int) and size < 1:
        raise invalid_value("rolling", "size", size, "a positive number of rows")
    if closed is not None and closed not in _CLOSED:
        words = ", ".join(map(repr, _CLOSED))
        raise invalid_value("rolling", "closed", closed, f"one of {words}")
    if not isinstance(center, bool):
        raise invalid_type("rolling", "center", center, "True or False")
    if size is None and (closed is not None or center):
        raise MuntinValueError("MUNTIN_ROLLING_WITHOUT_SIZE")
    if min_periods is None:
        return
    if isinstance(min_periods, bool) or not isinstance(min_periods, int):
        raise invalid_type("rolling", "min_periods", min_periods, "an int or None")
    if min_periods < 0:
        raise invalid_value("rolling", "min_periods", min_periods, "zero or more")
