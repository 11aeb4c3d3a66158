"""The frame of a window of ``rolling``, and the functions that change it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from muntin import _durations

_CLOSED = ("right", "left", "both", "neither")

_ZERO = timedelta(0)


@dataclass(frozen=True)
class Frame:
    rows: tuple[int | None, int | None] | None
    range: tuple[timedelta, timedelta] | None
    changes: dict[str, Any]  # what framed() takes
    shown: str  # the size, as the name of a column says it
    said: list[str]  # the other arguments, as the name of a column says them


def frame(
    size: int | timedelta | str | None, closed: str | None, min_periods: int | None, center: bool
) -> Frame:
    """Return the frame of these arguments of ``rolling``."""
    _check(size, closed, min_periods, center)
    said = [] if closed is None else [f"closed={closed}"]
    said += [] if min_periods is None else [f"min_periods={min_periods}"]
    said += ["center"] if center else []
    least = min_periods or None  # of 0 rows there are always enough
    if size is None:
        return Frame((None, 0), None, {"min_periods": least}, "all", said)
    if isinstance(size, int):
        rows = _rows(size, closed or "right", center)
        complete = True if min_periods is None else None
        return Frame(rows, None, {"complete": complete, "min_periods": least}, str(size), said)
    length = _durations.duration("rolling", "size", size)
    if length < _ZERO:
        raise ValueError(f"rolling: size is {size!r}; expected is a duration of zero or more")
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
        raise ValueError(f"rolling: size is {size}, of which closed={closed!r} leaves no row")
    return first, last


def _range(length: timedelta, size: object, center: bool) -> tuple[timedelta, timedelta]:
    if not center:
        return -length, _ZERO
    half = length // 2
    if half * 2 != length:
        raise ValueError(
            f"rolling: size is {size!r}, whose half is no whole number of microseconds"
        )
    return -half, half


def _check(size: object, closed: object, min_periods: object, center: object) -> None:
    is_number = isinstance(size, int) and not isinstance(size, bool)
    if size is not None and not is_number and not _durations.is_duration(size):
        raise TypeError(
            f"rolling: size is {size!r}; expected is an int, a timedelta, a str such as '1 hour' "
            "or None"
        )
    if isinstance(size, int) and size < 1:
        raise ValueError(f"rolling: size is {size}; expected is a positive number of rows")
    if closed is not None and closed not in _CLOSED:
        words = ", ".join(map(repr, _CLOSED))
        raise ValueError(f"rolling: closed is {closed!r}; expected is one of {words}")
    if not isinstance(center, bool):
        raise TypeError(f"rolling: center is {center!r}; expected is True or False")
    if size is None and (closed is not None or center):
        raise ValueError(
            "rolling: closed and center are about the ends of a window; expected is a size beside "
            "them, such as size=3 or size='1 hour'"
        )
    if min_periods is None:
        return
    if isinstance(min_periods, bool) or not isinstance(min_periods, int):
        raise TypeError(f"rolling: min_periods is {min_periods!r}; expected is an int or None")
    if min_periods < 0:
        raise ValueError(f"rolling: min_periods is {min_periods}; expected is zero or more")
