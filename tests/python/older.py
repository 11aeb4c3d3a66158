"""Features that the tests need and older Sparks do not have."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pyspark
import pytest
from muntin import _sparks
from pyspark.sql import SparkSession

MINOR = _sparks.minor_of(pyspark.__version__)


def is_before(minor: str) -> bool:
    """Return whether the Spark of the tests is older than a minor version."""
    ours, its = ([int(part) for part in m.split(".")] for m in (MINOR, minor))
    return ours < its


# On Spark 4.0 a stateful query receives its trigger only when it runs.
drains_late = pytest.mark.skipif(MINOR == "4.0", reason="refused in its first micro-batch")


@contextlib.contextmanager
def pandas_api(spark: SparkSession) -> Iterator[None]:
    """Turn ANSI mode off, which the pandas API on Spark 4.0 does not support."""
    if MINOR != "4.0":
        yield
        return
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        yield
    finally:
        assert before is not None
        spark.conf.set("spark.sql.ansi.enabled", before)
