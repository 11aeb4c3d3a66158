"""A stream that begins with the rows of a table, compared with feeding the rows to the stream."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable

import muntin as mt
from pyspark.sql import DataFrame, SparkSession

from benchmarks import machine, report
from benchmarks.data import BUILD
from benchmarks.session import CORES, session
from benchmarks.streams import contenders
from benchmarks.streams.data import Readings

TITLE = "## Streams that begin with history"
# How many times as long feeding the rows takes.
LIMIT = 5.0
KEYS = 1_000
# A micro-batch of the stream reads one file.
ROWS_PER_FILE = 100_000
# The rows of a first run of each query, which is not measured.
WARM_ROWS = 400_000

QUERIES = {
    "OVER ROWS 100 PRECEDING": """
        SELECT k, t, sum(v) OVER w AS total, max(v) OVER w AS top
        FROM readings WINDOW w AS (PARTITION BY k ORDER BY t ROWS 100 PRECEDING)""",
    "OVER RANGE, 1 minute": """
        SELECT k, t, sum(v) OVER w AS total, max(v) OVER w AS top FROM readings
        WINDOW w AS (PARTITION BY k ORDER BY t RANGE INTERVAL 1 MINUTE PRECEDING)""",
    "running sum": """
        SELECT k, t, sum(v) OVER (PARTITION BY k ORDER BY t) AS total FROM readings""",
}


def chapter(rows: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    data, warm = _readings(rows), _readings(min(rows, WARM_ROWS))
    spark = session(**{"spark.sql.shuffle.partitions": str(CORES)})
    lines = []
    for title, query in QUERIES.items():
        for run in (_fed, _bootstrapped, _batch):
            run(spark, warm, query)
        fed = _fed(spark, data, query)
        made = _bootstrapped(spark, data, query)
        batch = _batch(spark, data, query)
        ratio = fed / made
        mark = " !" if ratio < LIMIT else ""
        say(f"{title}: fed {fed:.1f} s, bootstrap {made:.1f} s, batch {batch:.1f} s")
        lines.append([title, f"{fed:.1f}", f"{made:.1f}", f"{batch:.1f}", f"{ratio:.1f}{mark}"])
    spark.stop()
    return [
        "",
        TITLE,
        "",
        f"{rows:,} rows of {KEYS:,} keys, on {CORES} cores, in seconds: fed to the stream, in "
        f"{data.files} micro-batches; mt.bootstrap; and the batch query. Each writes the results "
        f"as Parquet. ! marks less than {LIMIT:.0f} times. "
        f"{machine.when()}.",
        "",
        *report.table(
            ["", "fed", "bootstrap", "batch", f"fed / bootstrap (>= {LIMIT:.0f})"], lines
        ),
    ]


def _readings(rows: int) -> Readings:
    data = Readings(rows=rows, keys=KEYS, files=rows // ROWS_PER_FILE)
    data.make()
    return data


def _stream(spark: SparkSession, data: Readings, query: str) -> DataFrame:
    contenders.stream(spark, data).createOrReplaceTempView("readings")
    return spark.sql(query)


def _fed(spark: SparkSession, data: Readings, query: str) -> float:
    writer = _stream(spark, data, query).writeStream.format("parquet").trigger(availableNow=True)
    with contenders.checkpoint() as place:
        start = time.monotonic()
        writer = writer.option("checkpointLocation", f"{place}/checkpoint")
        writer.start(f"{place}/results").awaitTermination()
        return time.monotonic() - start


def _bootstrapped(spark: SparkSession, data: Readings, query: str) -> float:
    stream = _stream(spark, data, query)
    history = spark.read.parquet(str(data.path))
    with contenders.checkpoint() as place:
        start = time.monotonic()
        mt.bootstrap(stream, history, f"{place}/checkpoint")
        return time.monotonic() - start


def _batch(spark: SparkSession, data: Readings, query: str) -> float:
    spark.read.parquet(str(data.path)).createOrReplaceTempView("readings")
    place = tempfile.mkdtemp(dir=BUILD)
    start = time.monotonic()
    spark.sql(query).write.mode("overwrite").parquet(place)
    seconds = time.monotonic() - start
    shutil.rmtree(place)
    return seconds
