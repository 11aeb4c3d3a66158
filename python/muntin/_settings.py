"""Checks the jar's settings: unknown names, and the switch that turns Muntin off."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from muntin._errors import MuntinError, message
from muntin._setting_names import NAMES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PREFIX = "spark.muntin."
_SWITCH = "spark.muntin.enabled"
_VARIABLE = "MUNTIN_ENABLED"

_warned: set[str] = set()


def unknown(names: Iterable[str]) -> list[str]:
    """Return a message for each name that looks like a setting of Muntin and is not one."""
    wrong = (name for name in names if name.startswith(_PREFIX) and name not in NAMES)
    return [
        message(
            "MUNTIN_UNKNOWN_SETTING",
            setting=name,
            suggestion=difflib.get_close_matches(name, NAMES, n=1, cutoff=0.0)[0],
        )
        for name in sorted(wrong)
    ]


def warn_of_unknown(names: Iterable[str], stacklevel: int) -> None:
    """Warn about each unknown setting, once in a process."""
    for text in unknown(names):
        if text not in _warned:
            _warned.add(text)
            warnings.warn(text, stacklevel=stacklevel + 1)


def off_by_environment(value: str | None = None) -> MuntinError | None:
    """Return the error if this process's environment, or a JVM's ``value``, turns Muntin off."""
    switch = os.environ.get(_VARIABLE) if value is None else value
    return None if _is_on(switch) else _turned_off("environment variable", _VARIABLE, switch)


def turned_off(spark: SparkSession, jvm: Any = None) -> MuntinError | None:
    """Return the error if the switch turns Muntin off in ``spark``, or None if it is on."""
    switch = spark.conf.get(_SWITCH, None)
    if not _is_on(switch):
        return _turned_off("setting", _SWITCH, switch)
    return None if jvm is None else off_by_environment(jvm.java.lang.System.getenv(_VARIABLE) or "")


def _is_on(value: str | None) -> bool:
    return value is None or value.strip().lower() in ("", "true")


def _turned_off(kind: str, name: str, value: str | None) -> MuntinError:
    return MuntinError("MUNTIN_TURNED_OFF", kind=kind, switch=f"{name}={(value or '').strip()}")
