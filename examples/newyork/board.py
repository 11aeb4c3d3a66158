"""The state of a screen."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any


@dataclass
class Board:
    """Values by time, in its order.

    A stream's thread tells them while another reads: so a time and its values are one entry.
    """

    _told: list[tuple[datetime, tuple[Any, ...]]] = field(default_factory=list)

    def tell(self, moment: datetime, values: tuple[Any, ...]) -> None:
        """Add what stands there from this moment on, which is no earlier than those before."""
        self._told.append((moment, values))

    @property
    def reached(self) -> datetime | None:
        """The last moment so far."""
        return self._told[-1][0] if self._told else None

    def at(self, moment: datetime) -> tuple[Any, ...] | None:
        """What stood there at a moment."""
        found = bisect_right(self._told, moment, key=itemgetter(0))
        return self._told[found - 1][1] if found else None
