from __future__ import annotations

import doctest
from pathlib import Path

from installed import ROOT
from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def test_partials_from_data_frames_through_parquet(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(1000).select(
        (F.col("id") % 3).alias("k"), (F.col("id") % 7).alias("hour"), (F.col("id") / 7).alias("x")
    )
    hourly = rows.groupBy("k", "hour").agg(
        F.call_function("partial", F.stddev("x")).alias("p"),
        F.call_function("partial", F.corr("x", "hour")).alias("c"),
    )
    hourly.write.parquet(str(tmp_path / "hourly"))
    stored = spark.read.parquet(str(tmp_path / "hourly"))
    merged = stored.groupBy("k").agg(
        F.call_function("merge_partial", F.avg("p")).alias("mean"),
        F.call_function("merge_partial", F.stddev("p")).alias("deviation"),
        F.call_function("merge_partial", F.count("p")).alias("n"),
        F.call_function("merge_partial", F.call_function("corr", "c")).alias("r"),
    )
    rows.createOrReplaceTempView("rows_of_partials")
    whole = spark.sql(
        "SELECT DISTINCT k, avg(x) OVER w, stddev(x) OVER w, count(x) OVER w, corr(x, hour) OVER w "
        "FROM rows_of_partials WINDOW w AS (PARTITION BY k)"
    )
    assert sorted(map(tuple, merged.collect())) == sorted(map(tuple, whole.collect()))


def test_the_examples_of_the_page(spark: SparkSession) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    page = str(ROOT / "docs" / "partials.md")
    found = doctest.testfile(page, False, globs={"spark": spark}, optionflags=flags)
    assert found.attempted > 0
    assert found.failed == 0
