"""What a Spark before the newest lacks, of what the tests ask for."""

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


# Spark 4.0 tells a query with state its trigger only when it runs.
drains_late = pytest.mark.skipif(MINOR == "4.0", reason="refused in its first micro-batch")


@contextlib.contextmanager
def pandas_api(spark: SparkSession) -> Iterator[None]:
    """Let the pandas API on Spark run: that of Spark 4.0 does not in ANSI mode."""
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
