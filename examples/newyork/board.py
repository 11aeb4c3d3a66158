"""The state of a screen."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any


@dataclass
class Board:
    """Values by time, in the order of time.

    A stream's thread adds entries while another thread reads: an entry is a time with its values.
    """

    _told: list[tuple[datetime, tuple[Any, ...]]] = field(default_factory=list)

    def tell(self, moment: datetime, values: tuple[Any, ...]) -> None:
        """Add the values from this time on; the time must not be before earlier times."""
        self._told.append((moment, values))

    @property
    def reached(self) -> datetime | None:
        """Return the last time so far."""
        return self._told[-1][0] if self._told else None

    def at(self, moment: datetime) -> tuple[Any, ...] | None:
        """Return the values at a time."""
        found = bisect_right(self._told, moment, key=itemgetter(0))
        return self._told[found - 1][1] if found else None
