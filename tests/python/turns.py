"""Which of many tests and cases run: in ``make test`` each day has its own."""

from __future__ import annotations

import os
import time

IS_LONG = os.environ.get("MUNTIN_TESTS") == "long"
IS_BY_TURNS = os.environ.get("MUNTIN_TESTS") == "turns"

# The days since 1970, in UTC: the Scala tests go by the same.
DAY = int(time.time()) // 86_400


def has_its_turn(number: int, most: int) -> bool:
    """Whether a case runs: in ``make test`` one in ``most``, others each day; else all."""
    # Along the diagonals: a run of `most` cases within cases has each of them by turns, too.
    return not IS_BY_TURNS or (number + number // most - DAY) % most == 0
