"""Errors of the Python package, with the conditions of error-conditions.json."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muntin import _sparks

if TYPE_CHECKING:
    from pyspark.errors import PySparkRuntimeError, PySparkTypeError, PySparkValueError
else:
    try:
        from pyspark.errors import PySparkRuntimeError, PySparkTypeError, PySparkValueError
    except ImportError:  # `python -m muntin` runs without pyspark
        PySparkRuntimeError, PySparkTypeError, PySparkValueError = (
            RuntimeError,
            TypeError,
            ValueError,
        )

HOW_TO_GET_PYSPARK = (
    "Install the Spark that you want; without a version it is the newest that muntin is for:\n\n"
    f"    pip install '{_sparks.requirement()}'\n\n"
    "or a client of a Spark Connect server:\n\n"
    f"    pip install '{_sparks.requirement_of_client()}'"
)


@cache
def _conditions() -> dict[str, dict[str, Any]]:
    text = Path(__file__).with_name("error-conditions.json").read_text(encoding="utf-8")
    conditions: dict[str, dict[str, Any]] = json.loads(text)
    return conditions


def message(condition: str, **parameters: object) -> str:
    """Return the text of an error or a warning, with its condition in front."""
    return str(_WithCondition(condition, **parameters))


class _WithCondition(Exception):
    """An error with a condition. Spark's own errors accept the conditions of Spark only."""

    def __init__(self, condition: str, **parameters: object) -> None:
        self._condition = condition
        self._parameters = {name: str(value) for name, value in parameters.items()}
        template = " ".join(_conditions()[condition]["message"])
        message = re.sub("<([a-zA-Z]+)>", lambda name: self._parameters[name[1]], template)
        super().__init__(message)
        self.args = (f"[{condition}] {message}",)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._condition, self._parameters)

    def getCondition(self) -> str:
        """Return the name of the condition, such as ``"MUNTIN_NOT_ACTIVE"``."""
        return self._condition

    def getErrorClass(self) -> str:
        """Return the name of the condition, as Spark 3.5 calls it."""
        return self._condition

    def getMessageParameters(self) -> dict[str, str]:
        """Return the values in the message by the names of the parameters."""
        return dict(self._parameters)

    def getSqlState(self) -> str:
        """Return the SQLSTATE of the condition."""
        return str(_conditions()[self._condition]["sqlState"])

    def getMessage(self) -> str:
        """Return the message with the condition in front."""
        return str(self)


def _restored(kind: type[_WithCondition], condition: str, parameters: dict[str, str]) -> Exception:
    return kind(condition, **parameters)


class MuntinError(_WithCondition, PySparkRuntimeError):
    """Muntin cannot run in this session or with this Spark. The message contains the remedy."""


class MuntinTypeError(_WithCondition, PySparkTypeError):
    """A function does not accept a value of this type."""


class MuntinValueError(_WithCondition, PySparkValueError):
    """A function does not accept this value."""


def invalid_type(function: str, parameter: str, value: object, expected: str) -> MuntinTypeError:
    """Return the error for an argument whose type the function does not accept."""
    return MuntinTypeError(
        "MUNTIN_INVALID_ARGUMENT_TYPE",
        function=function,
        parameter=parameter,
        argument=repr(value),
        type=type(value).__name__,
        expected=expected,
    )


def invalid_value(function: str, parameter: str, value: object, expected: str) -> MuntinValueError:
    """Return the error for an argument whose value the function does not accept."""
    return MuntinValueError(
        "MUNTIN_INVALID_ARGUMENT_VALUE",
        function=function,
        parameter=parameter,
        argument=repr(value),
        expected=expected,
    )
