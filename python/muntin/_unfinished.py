"""Windows that wait for what is to be said of them, and are no DataFrame yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pyspark.sql import DataFrame


class Unfinished:
    """What a function has made of its rows, until a method makes a DataFrame of it.

    ``_function`` names the function, ``_waiting`` says what of it waits and for what, and ``_next``
    what to call.
    """

    _function: str
    _waiting: str
    _next: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…): say {self._next}"

    if not TYPE_CHECKING:  # a type checker knows by itself what there is not

        def __getattr__(self, name: str) -> NoReturn:
            if hasattr(DataFrame, name):
                raise AttributeError(
                    f"The result of {self._function} is not a DataFrame yet, because "
                    f"{self._waiting}, so it does not have {name}. Call {self._next} first."
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
