"""The jar's settings, as Python checks them: unknown names, and the switch that turns all off."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

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
        f"Unknown setting `{name}` has no effect. Did you mean "
        f"`{difflib.get_close_matches(name, NAMES, n=1, cutoff=0.0)[0]}`?"
        for name in sorted(wrong)
    ]


def warn_of_unknown(names: Iterable[str], stacklevel: int) -> None:
    """Warn of each unknown setting, once in a process."""
    for message in unknown(names):
        if message not in _warned:
            _warned.add(message)
            warnings.warn(message, stacklevel=stacklevel + 1)


def off_by_environment(value: str | None = None) -> str | None:
    """Return why the environment of this process, or a JVM's ``value``, turns Muntin off."""
    said = os.environ.get(_VARIABLE) if value is None else value
    return None if _is_on(said) else _why_off(f"the environment variable `{_VARIABLE}", said)


def why_off(spark: SparkSession, jvm: Any = None) -> str | None:
    """Return why the switch turns Muntin off in ``spark``, or None if the switch is on."""
    setting = spark.conf.get(_SWITCH, None)
    if not _is_on(setting):
        return _why_off(f"`{_SWITCH}", setting)
    return None if jvm is None else off_by_environment(jvm.java.lang.System.getenv(_VARIABLE) or "")


def _is_on(value: str | None) -> bool:
    return value is None or value.strip().lower() in ("", "true")


def _why_off(name: str, value: str | None) -> str:
    # The same text as in MuntinExtensions.java.
    return (
        f"Muntin is turned off by {name}={(value or '').strip()}`. To turn Muntin on, set it to "
        "`true` or remove it, and start the application again."
    )
