"""The arguments of functions on checkpoints."""

from __future__ import annotations

import os

from muntin import _kinds
from muntin._errors import invalid_type


def require_session(function: str, spark: object) -> None:
    """Fail unless the argument is a session."""
    if not _kinds.is_session(spark):
        raise invalid_type(function, "spark", spark, "a SparkSession")


def path(function: str, name: str, value: str | os.PathLike[str]) -> str:
    """Return the path as text."""
    if not isinstance(value, (str, os.PathLike)):
        raise invalid_type(function, name, value, "a str or a path")
    return os.fspath(value)


def require_number(function: str, name: str, value: object) -> None:
    """Fail unless the argument is an int, and not a bool."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid_type(function, name, value, "an int")
