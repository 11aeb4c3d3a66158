"""Selects tests and cases: ``make test`` runs a fixed sample, ``make test-long`` everything.

``MUNTIN_TESTS`` is ``gate`` or ``long``; ``MUNTIN_SEED``, 0 by default, chooses the sample and all
random values. The Scala tests read the same two variables.
"""

from __future__ import annotations

import os

IS_LONG = os.environ.get("MUNTIN_TESTS") == "long"
IS_GATE = os.environ.get("MUNTIN_TESTS") == "gate"

SEED = int(os.environ.get("MUNTIN_SEED", "0"))

# k/n: the k-th of n parts of all tests, from 1 on, as a nightly run on n machines has them.
SHARD = tuple(map(int, os.environ.get("MUNTIN_SHARD", "1/1").split("/")))


def is_selected(number: int, most: int) -> bool:
    """Return whether a case runs: in ``make test`` one in ``most``; else all."""
    # Along the diagonals, so that `most` cases inside of `most` others are all selected in turn.
    return not IS_GATE or (number + number // most - SEED) % most == 0


def is_in_shard(number: int) -> bool:
    """Return whether this machine runs a test."""
    part, parts = SHARD
    return number % parts == part - 1
