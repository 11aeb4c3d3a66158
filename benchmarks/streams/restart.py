"""The restart of a stream with many groups, compared with a stateful operator of Spark."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import muntin as mt
from pyspark.sql import DataFrame, SparkSession

from benchmarks import machine, report
from benchmarks.data import BUILD
from benchmarks.session import CORES, session
from benchmarks.streams import contenders

TITLE = "## Restarts"
GROUPS = 10_000_000
ROUNDS = 3
# Compared with the restart of dropDuplicates.
LIMIT = 1.2
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

QUERY = """
    SELECT k, t, sum(v) OVER (PARTITION BY k ORDER BY t ROWS 2 PRECEDING) AS total FROM visits
"""
Query = Callable[[DataFrame], DataFrame]


def chapter(groups: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    spark = session(
        **{
            "spark.sql.shuffle.partitions": str(CORES),
            "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        }
    )
    folder = BUILD / "visits"
    shutil.rmtree(folder, ignore_errors=True)
    time_of = f"timestamp_seconds(1700000000 + id DIV {groups // 100}) AS t"
    past = spark.range(groups).selectExpr("id AS k", time_of, "1.0D AS v")
    past.write.parquet(str(folder / "past"))
    last = "SELECT 0L AS k, timestamp_seconds(1700000100) AS t, 1.0D AS v"
    spark.sql(last).write.parquet(str(folder / "now"))
    lines = []
    own = _of_muntin(spark, folder, say)
    stock = _of_spark(spark, folder, say)
    for title, seconds in (
        ("Muntin: OVER ROWS 2 PRECEDING", own),
        ("Spark: dropDuplicates", stock),
    ):
        lines.append([title, f"{min(seconds):.1f}", f"{max(seconds):.1f}", ""])
    ratio = min(own) / min(stock)
    lines[0][-1] = f"{ratio:.2f}{' !' if ratio > LIMIT else ''}"
    spark.stop()
    shutil.rmtree(folder)
    return [
        "",
        TITLE,
        "",
        f"A query with {groups:,} groups in its state starts, and has processed one row: seconds, "
        f"of {ROUNDS} starts. The state is in {CORES} partitions on a local disk, from where the "
        f"store reads it. ! marks more than {LIMIT} of dropDuplicates. {machine.when()}.",
        "",
        *report.table(["", "least", "most", f"/ Spark (<= {LIMIT})"], lines),
    ]


def _of_muntin(spark: SparkSession, folder: Path, say: Callable[[str], None]) -> list[float]:
    def query(stream: DataFrame) -> DataFrame:
        stream.createOrReplaceTempView("visits")
        return spark.sql(QUERY)

    with contenders.checkpoint() as place:
        start = time.monotonic()
        past = spark.read.parquet(str(folder / "past"))
        mt.bootstrap(query(_stream(spark, folder / "now")), past, f"{place}/checkpoint")
        say(f"bootstrap: {time.monotonic() - start:.1f} s")
        return _starts(spark, f"{place}/checkpoint", folder / "now", query, say)


def _of_spark(spark: SparkSession, folder: Path, say: Callable[[str], None]) -> list[float]:
    def query(stream: DataFrame) -> DataFrame:
        return stream.dropDuplicates(["k"])

    with contenders.checkpoint() as place:
        _run(query(_stream(spark, folder / "*")), f"{place}/checkpoint")
        return _starts(spark, f"{place}/checkpoint", folder / "*", query, say)


def _starts(
    spark: SparkSession, place: str, source: Path, query: Query, say: Callable[[str], None]
) -> list[float]:
    """Return the seconds of starts with one new row each."""
    found = []
    for n in range(ROUNDS):
        row = f"SELECT {n}L AS k, timestamp_seconds({1700000200 + n}) AS t, 1.0D AS v"
        spark.sql(row).write.mode("append").parquet(str(source.parent / "now"))
        start = time.monotonic()
        _run(query(_stream(spark, source)), place)
        found.append(time.monotonic() - start)
        say(f"start: {found[-1]:.1f} s")
    return found


def _stream(spark: SparkSession, folder: Path) -> DataFrame:
    rows = spark.readStream.schema("k BIGINT, t TIMESTAMP, v DOUBLE").parquet(str(folder))
    return rows.withWatermark("t", "1 second")


def _run(query: DataFrame, place: str) -> None:
    writer = query.writeStream.format("noop").trigger(availableNow=True)
    writer.option("checkpointLocation", place).start().awaitTermination()
