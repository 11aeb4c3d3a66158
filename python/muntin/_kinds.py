"""Checks whether a value is a column, a DataFrame or a session, classic or of Spark Connect.

Before Spark 4.0 Connect's classes are not subclasses of the classes of ``pyspark.sql``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, SparkSession

if TYPE_CHECKING:  # in Python since 3.13
    from typing_extensions import TypeIs


def is_column(value: object) -> TypeIs[Column]:
    """Return whether ``value`` is a column."""
    return isinstance(value, Column) or _is_of_connect(value, "column", "Column")


def is_frame(value: object) -> TypeIs[DataFrame]:
    """Return whether ``value`` is a DataFrame."""
    return isinstance(value, DataFrame) or _is_of_connect(value, "dataframe", "DataFrame")


def is_session(value: object) -> TypeIs[SparkSession]:
    """Return whether ``value`` is a session."""
    return isinstance(value, SparkSession) or _is_of_connect(value, "session", "SparkSession")


def _is_of_connect(value: object, module: str, name: str) -> bool:
    # If such a value exists, its module is loaded.
    kind = getattr(sys.modules.get(f"pyspark.sql.connect.{module}"), name, None)
    return kind is not None and isinstance(value, kind)
