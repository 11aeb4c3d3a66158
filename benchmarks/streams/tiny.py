"""The latency of a micro-batch of few rows, compared with stock Spark."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from pyspark.sql import DataFrame

from benchmarks import machine, report
from benchmarks.session import CORES, session
from benchmarks.streams import contenders, questions
from benchmarks.streams.data import Readings
from benchmarks.streams.question import Question

TITLE = "## Streams of tiny micro-batches"
LIMIT = 1.2
DATA = Readings(rows=5_000, keys=10, files=50)
ROUNDS = 4
# The first micro-batches of a query also plan and compile.
WARMING = 10
STOCK = "stock Spark, window('1 minute')"
PARTS = {
    "all of it": "triggerExecution",
    "its job": "addBatch",
    "planning": "queryPlanning",
}

Latency = dict[str, float]


def chapter(rounds: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    DATA.make()
    spark = session(
        **{
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.streaming.numRecentProgressUpdates": str(2 * DATA.files),
        }
    )
    contenders.stream(spark, DATA).createOrReplaceTempView("r")
    asked = {STOCK: questions.STOCK[STOCK]} | {q.title: q.muntin for q in _questions()}
    best: dict[str, Latency] = {}
    # The queries alternate in each round, so that noise affects all of them equally.
    for n in range(rounds):
        for title, query in asked.items():
            found = _latency(spark.sql(query))
            say(f"{title:<35}{found['all of it']:7.0f} ms")
            # The first round warms up the machine.
            if n > 0 or rounds == 1:
                before = best.get(title, found)
                best[title] = {part: min(found[part], before[part]) for part in PARTS}
    spark.stop()
    lines = []
    for title, found in best.items():
        ratio = found["all of it"] / best[STOCK]["all of it"]
        shown = "" if title == STOCK else f"{ratio:.2f}{' !' if ratio > LIMIT else ''}"
        lines.append([title, *(f"{found[part]:.0f}" for part in PARTS), shown])
    return [
        "",
        TITLE,
        "",
        f"{DATA.files} micro-batches of {DATA.rows // DATA.files} rows of {DATA.keys} keys, on "
        f"{CORES} cores, two partitions, in milliseconds: the median micro-batch of a query, "
        f"without its first {WARMING}, of the best of {max(1, rounds - 1)} rounds. Each query has "
        "its default state store: in stock Spark the store in memory, with files of changes, in "
        f"Muntin RocksDB, with a log of changes. ! marks more than {LIMIT} times stock "
        f"Spark's time. {machine.when()}.",
        "",
        *report.table(["", *PARTS, f"times stock Spark's (<= {LIMIT})"], lines),
    ]


def _questions() -> list[Question]:
    return [q for q in questions.all_questions() if q.revised is not None]


def _latency(frame: DataFrame) -> Latency:
    """Return the parts of the query's median micro-batch, in milliseconds."""
    writer = frame.writeStream.format("noop").trigger(availableNow=True)
    with contenders.checkpoint() as folder:
        query = writer.option("checkpointLocation", folder).start()
        query.awaitTermination()
    batches = [p for p in query.recentProgress if p.numInputRows > 0][WARMING:]
    return {
        part: statistics.median(p.durationMs.get(key, 0) for p in batches)
        for part, key in PARTS.items()
    }
