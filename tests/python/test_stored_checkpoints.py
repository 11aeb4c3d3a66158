"""Checkpoints of aggregators in Python, which each Spark has written, continue on this Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyspark
import pytest
from micro_batches import in_files, streamed
from muntin import _sparks
from pyspark.sql import SparkSession
from stored_checkpoints import (
    EARLY,
    LATER,
    QUERIES,
    continued,
    extract,
    stored_sparks,
)

# A function of this module, as foreachBatch needs it, is unknown to a server of Spark Connect.
pytestmark = [pytest.mark.streams, pytest.mark.once]


def test_each_spark_has_a_file() -> None:
    assert _sparks.minor_of(pyspark.__version__) in stored_sparks()


@pytest.fixture(scope="module", params=QUERIES)
def query(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, list[Any]]:
    """Return the name of a query, and the results that it emits after the early rows."""
    name = request.param
    folder = tmp_path_factory.mktemp(name)
    whole = streamed(spark, in_files(folder / "whole", EARLY + LATER), QUERIES[name]).rows
    early = streamed(spark, in_files(folder / "early", EARLY), QUERIES[name]).rows
    return name, [row for row in whole if row not in early]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("of_spark", stored_sparks())
def test_a_stored_checkpoint_continues(
    spark: SparkSession, tmp_path: Path, of_spark: str, query: tuple[str, list[Any]]
) -> None:
    name, later = query
    checkpoint = tmp_path / "checkpoint"
    extract(of_spark, name, checkpoint)
    assert continued(spark, name, checkpoint, tmp_path) == later
    assert later
