"""Windows without their aggregates, which are not a DataFrame yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pyspark.sql import DataFrame


class Unfinished:
    """The result of a function, until one of its methods returns a DataFrame.

    ``_function`` is the function's name, ``_waiting`` the reason why it is not a DataFrame yet, and
    ``_next`` the methods to call.
    """

    _function: str
    _waiting: str
    _next: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…): call {self._next}"

    if not TYPE_CHECKING:  # a type checker reports missing attributes

        def __getattr__(self, name: str) -> NoReturn:
            if hasattr(DataFrame, name):
                raise AttributeError(
                    f"The result of {self._function} is not a DataFrame yet, because "
                    f"{self._waiting}, so it does not have {name}. Call {self._next} first."
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
