"""On a Spark without the required state store, windows over streams are rejected with a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import muntin as mt
import pyspark
import pytest
from muntin import _sparks
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

pytestmark = [
    pytest.mark.smoke,
    pytest.mark.skipif(
        _sparks.minor_of(pyspark.__version__) != "3.5", reason="streams run since Spark 4.0"
    ),
]


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> DataFrame:
    rows = spark.sql("SELECT timestamp_seconds(id) AS t, id AS x FROM range(3)")
    rows.write.mode("append").parquet(str(tmp_path / "rows"))
    stream = spark.readStream.schema(rows.schema).parquet(str(tmp_path / "rows"))
    return stream.withWatermark("t", "1 second")


def test_windows_over_streams_are_rejected(stream: DataFrame) -> None:
    total = F.sum("x")
    queries: list[Callable[[], DataFrame]] = [
        lambda: stream.select(total.over(mt.over("x", "t", rows=(-1, 0)))),
        lambda: stream.groupBy(mt.field_window("t", 30, 30)).agg(total),
        lambda: stream.groupBy("x", mt.validity("t", F.col("t"))).agg(total),
        lambda: mt.window_by(stream, stream, time="t", start=F.col("t"), end="t").agg(total),
    ]
    for windows in queries:
        with pytest.raises(AnalysisException, match="MUNTIN_STREAMS_REQUIRE_SPARK_4"):
            windows().schema  # noqa: B018


def test_streams_without_muntin_windows_run(stream: DataFrame, tmp_path: Path) -> None:
    hours = stream.groupBy(F.window("t", "1 hour")).agg(F.sum("x").alias("total"))
    writer = hours.writeStream.format("parquet").option("path", str(tmp_path / "out"))
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    assert query.exception() is None
