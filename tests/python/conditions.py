"""Checks of errors by their conditions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def raises(kind: type[Exception], condition: str, **parameters: object) -> Iterator[None]:
    """Require an error with this condition and at least these parameters."""
    with pytest.raises(kind) as raised:
        yield
    error: Any = raised.value
    found = error.getErrorClass() if not hasattr(error, "getCondition") else error.getCondition()
    assert found == condition, error
    values = error.getMessageParameters()
    assert {name: values.get(name) for name in parameters} == parameters, error
