"""The latency of a micro-batch of few rows, compared with stock Spark."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Callable, Iterator

from pyspark.sql import DataFrame, SparkSession

from benchmarks import machine, report
from benchmarks.session import CORES, session
from benchmarks.streams import contenders, questions
from benchmarks.streams.data import Readings

TITLE = "## Streams of tiny micro-batches"
LIMIT = 1.2
# In the order of groups.
LIMIT_OF_GROUPS = 0.8
DATA = Readings(rows=5_000, keys=10, files=50)
ROUNDS = 4
# The first micro-batches of a query also plan and compile.
WARMING = 10
STOCK = "stock Spark, window('1 minute')"
DUPLICATES = "stock Spark, dropDuplicatesWithinWatermark"
STATELESS = "stock Spark, without a stateful operator"
OF_GROUPS = "OVER RANGE, 1 minute, order group"
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
    asked = _asked(spark)
    best: dict[str, Latency] = {}
    # The queries alternate in each round, so that noise affects all of them equally.
    for n in range(rounds):
        for title, query in asked.items():
            with _order(spark, "group" if title == OF_GROUPS else "watermark"):
                found = _latency(query())
            say(f"{title:<35}{found['all of it']:7.0f} ms")
            # The first round warms up the machine.
            if n > 0 or rounds == 1:
                before = best.get(title, found)
                best[title] = {part: min(found[part], before[part]) for part in PARTS}
    spark.stop()
    lines = []
    for title, found in best.items():
        of_groups = LIMIT_OF_GROUPS if title == OF_GROUPS else None
        is_stock = title in (STOCK, DUPLICATES)
        limit = None if title == STATELESS else LIMIT
        ratios = [
            "" if is_stock else _ratio(found, best[STOCK], limit),
            "" if is_stock else _ratio(found, best[DUPLICATES], of_groups),
        ]
        lines.append([title, *(f"{found[part]:.0f}" for part in PARTS), *ratios])
    return [
        "",
        TITLE,
        "",
        f"{DATA.files} micro-batches of {DATA.rows // DATA.files} rows of {DATA.keys} keys, on "
        f"{CORES} cores, two partitions, in milliseconds: the median micro-batch of a query, "
        f"without its first {WARMING}, of the best of {max(1, rounds - 1)} rounds. Each query has "
        "its default state store: in stock Spark the store in memory, with files of changes, in "
        f"Muntin RocksDB, with a log of changes. ! marks more than {LIMIT} times stock "
        f"Spark's window, in the order group more than {LIMIT_OF_GROUPS} of dropDuplicates. "
        f"{machine.when()}.",
        "",
        *report.table(["", *PARTS, f"times window (<= {LIMIT})", "times dropDuplicates"], lines),
    ]


def _asked(spark: SparkSession) -> dict[str, Callable[[], DataFrame]]:
    rows = contenders.stream(spark, DATA)
    rows.createOrReplaceTempView("r")

    def query(text: str) -> Callable[[], DataFrame]:
        return lambda: spark.sql(text)

    of_muntin = {q.title: q.muntin for q in questions.all_questions() if q.revised is not None}
    first = next(iter(of_muntin.values()))
    texts = {STOCK: questions.STOCK[STOCK]} | of_muntin | {OF_GROUPS: first}
    asked = {title: query(text) for title, text in texts.items()}
    return asked | {
        DUPLICATES: lambda: rows.dropDuplicatesWithinWatermark(["k", "t"]),
        # What a micro-batch costs at least.
        STATELESS: lambda: rows,
    }


@contextlib.contextmanager
def _order(spark: SparkSession, order: str) -> Iterator[None]:
    spark.conf.set("spark.muntin.stream.order", order)
    # A group's rows may be out of order; a few are.
    spark.conf.set("spark.muntin.stream.outOfOrder", "drop")
    yield
    spark.conf.unset("spark.muntin.stream.order")
    spark.conf.unset("spark.muntin.stream.outOfOrder")


def _ratio(found: Latency, other: Latency, limit: float | None) -> str:
    ratio = found["all of it"] / other["all of it"]
    return f"{ratio:.2f}{' !' if limit is not None and ratio > limit else ''}"


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
