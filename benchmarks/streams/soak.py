"""The state of a stream whose keys come and go, with a time to live and without."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from pyspark.sql import SparkSession

from benchmarks import machine, report
from benchmarks.data import BUILD
from benchmarks.session import CORES, session
from benchmarks.streams import contenders

TITLE = "## Keys that come and go"
KEYS = 1_000_000
# Each micro-batch has the whole life of its keys: some rows within a minute.
FILES = 40
ROWS_OF_KEY = 3
TTL = "120s"
# The growth of the state from a quarter of the micro-batches to the end.
LIMIT = 1.1

QUERY = """
    SELECT k, t, sum(v) OVER w AS total, avg(v) OVER w AS mean
    FROM visits WINDOW w AS (PARTITION BY k ORDER BY t ROWS 10 PRECEDING)
"""


def chapter(keys: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    folder = BUILD / f"visits-{keys}"
    spark = session(**{"spark.sql.shuffle.partitions": str(CORES)})
    if not folder.exists():
        _make(spark, keys, str(folder))
    lines = []
    for ttl in (TTL, None):
        found = _run(spark, str(folder), ttl, say)
        quarter, last = found[len(found) // 4], found[-1]
        ratio = last[1] / quarter[1]
        mark = " !" if ttl is not None and ratio > LIMIT else ""
        title = f"ttl {ttl}" if ttl else "no ttl"
        for place, (groups, size, millis) in (("a quarter", quarter), ("the end", last)):
            lines.append([title, place, f"{groups:,}", f"{size / 1e6:.1f}", f"{millis:,}", ""])
        lines[-1][-1] = f"{ratio:.2f}{mark}"
    spark.stop()
    shutil.rmtree(folder)
    return [
        "",
        TITLE,
        "",
        f"{keys:,} keys with {ROWS_OF_KEY} rows each, in {FILES} micro-batches: all rows of a key "
        f"are in one micro-batch, and the next one is a minute later. OVER ROWS 10 PRECEDING by "
        f"key, on {CORES} cores. The state after a quarter of the micro-batches and at the end: "
        "groups, MB, and the milliseconds of the micro-batch. ! marks a state with a ttl that "
        f"grows by more than {LIMIT}. {machine.when()}.",
        "",
        *report.table(["", "after", "groups", "MB", "ms", f"growth (<= {LIMIT})"], lines),
    ]


def _make(spark: SparkSession, keys: int, folder: str) -> None:
    each = keys // FILES
    for n in range(FILES):
        rows = spark.range(each * ROWS_OF_KEY).selectExpr(
            f"id DIV {ROWS_OF_KEY} + {n * each} AS k",
            f"timestamp_seconds({n * 60} + id % 60) AS t",
            "rand(1) AS v",
        )
        rows.coalesce(1).write.mode("append").parquet(folder)


def _run(
    spark: SparkSession, folder: str, ttl: str | None, say: Callable[[str], None]
) -> list[tuple[int, int, int]]:
    """Return the number of groups, the bytes and the milliseconds of each micro-batch with rows."""
    if ttl is not None:
        spark.conf.set("spark.muntin.stream.ttl", ttl)
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", str(3 * FILES))
    files = spark.readStream.schema("k BIGINT, t TIMESTAMP, v DOUBLE")
    rows = files.option("maxFilesPerTrigger", 1).parquet(folder)
    rows.withWatermark("t", "0 seconds").createOrReplaceTempView("visits")
    writer = spark.sql(QUERY).writeStream.format("noop").trigger(availableNow=True)
    with contenders.checkpoint() as place:
        query = writer.option("checkpointLocation", place).start()
        query.awaitTermination()
    spark.conf.unset("spark.muntin.stream.ttl")
    found = []
    for progress in query.recentProgress:
        if progress.numInputRows > 0:
            metrics = progress.stateOperators[0].customMetrics
            found.append(
                (
                    int(metrics["numGroups"]),
                    int(metrics["stateBytes"]),
                    progress.durationMs["triggerExecution"],
                )
            )
    say(f"ttl {ttl}: {found[-1][0]:,} groups after {len(found)} micro-batches")
    return found
