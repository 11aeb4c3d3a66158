"""Which of many cases run: by default each day has its own, and ``make test-long`` all."""

from __future__ import annotations

import os
import time

IS_LONG = os.environ.get("MUNTIN_TESTS") == "long"

# The days since 1970, in UTC: the Scala tests go by the same.
DAY = int(time.time()) // 86_400


def has_its_turn(number: int, most: int) -> bool:
    """Whether a case runs today: one in ``most``, by turns."""
    # Along the diagonals: a run of `most` cases within cases has each of them by turns, too.
    return IS_LONG or (number + number // most - DAY) % most == 0
