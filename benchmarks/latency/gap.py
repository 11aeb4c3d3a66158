"""The gap between two batches in Spark's real-time mode, in which no row has a result.

    python -m benchmarks.latency.gap [--groups N …] [--queries NAME …]

Each group has one row in each batch, spread over the batch. A row every few milliseconds, of
groups of its own, shows when results are emitted: the gap is the longest time between two of its
results around the end of a batch. Spark's event log and progress divide the gap into its parts. The
source and the sink are in memory.

Stock Spark's dropDuplicates has a new key for each row, so that its state changes as much.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import muntin as mt
from pyspark.sql import DataFrame, SparkSession

from benchmarks import report
from benchmarks.data import BUILD

PARTITIONS = 2
BLOCK = 100
PROBE_SECONDS = 0.004
NOW = "bigint(java_method('java.lang.System', 'currentTimeMillis'))"
FRAMES = {
    "rows": "ROWS 100 PRECEDING",
    "range": "RANGE INTERVAL 1 MINUTE PRECEDING",
}
TITLES = {
    "rows": "Muntin, OVER ROWS 100 PRECEDING",
    "range": "Muntin, OVER RANGE 1 MINUTE PRECEDING",
    "stock": "stock Spark, dropDuplicates",
}
PARTS = ("gap", "tasks end", "flush", "state commit", "logs", "planning", "first result")

Gap = dict[str, float]


@dataclass
class Batch:
    """Times of a batch in milliseconds since 1970, and durations of its parts."""

    job_start: float = 0.0
    job_end: float = 0.0
    ends: dict[int, list[float]] = field(default_factory=dict)
    commit: float = 0.0
    planning: float = 0.0


class Feed:
    """The source: blocks of rows, one row for each group, and probes."""

    def __init__(self, spark: SparkSession, groups: int) -> None:
        self._jvm = cast("Any", spark._jvm)
        self._blocks = groups // BLOCK
        self._sent = 0
        self._probes = 0
        sources = self._jvm.org.apache.spark.sql.execution.streaming.sources
        longs = self._jvm.org.apache.spark.sql.Encoders.LONG()
        self._stream = sources.LowLatencyMemoryStream.apply(spark._jsparkSession, PARTITIONS, longs)
        self._lock = threading.Lock()
        rows = DataFrame(self._stream.toDF(), spark)
        made = rows.selectExpr(
            "value AS v",
            f"{NOW} AS arrived",
            f"explode(IF(value < 0, array(value), "
            f"sequence(value * {BLOCK}, value * {BLOCK} + {BLOCK - 1}))) AS u",
        )
        # A block is of the same groups, and in the same partition, in each batch.
        self.rows = made.selectExpr(
            "v",
            "u",
            "arrived",
            "timestamp_millis(arrived) AS t",
            f"IF(v < 0, -1 - (-v) % 8, u % {groups}) AS g",
            "double(u % 1000) AS x",
        )

    def _add(self, partition: int, first: int, last: int) -> None:
        longs = self._jvm.java.util.stream.LongStream.rangeClosed(first, last).boxed()
        values = longs.collect(self._jvm.java.util.stream.Collectors.toList())
        with self._lock:
            self._stream.addData(partition, self._jvm.PythonUtils.toSeq(values))

    def round(self, seconds: float, stop: threading.Event) -> None:
        """Send a row of each group, within some seconds."""
        began = time.monotonic()
        for i in range(self._blocks):
            if stop.is_set():
                return
            self._add(i % PARTITIONS, self._sent, self._sent)
            self._sent += 1
            ahead = began + seconds * i / self._blocks - time.monotonic()
            if ahead > 0.002:
                time.sleep(ahead)

    def probe(self, stop: threading.Event) -> None:
        """Send a row every few milliseconds."""
        while not stop.is_set():
            self._probes += 1
            self._add(self._probes % PARTITIONS, -self._probes, -self._probes)
            time.sleep(PROBE_SECONDS)


def session(log: Path, more: list[str]) -> SparkSession:
    """A session with a slot for each task of the source and of the shuffle."""
    settings = {
        "spark.driver.memory": "6g",
        "spark.sql.shuffle.partitions": str(PARTITIONS),
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
        "spark.muntin.stream.order": "group",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        **dict(setting.split("=", 1) for setting in more),
    }
    builder = SparkSession.builder.appName("gap").master(f"local[{3 * PARTITIONS}]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return mt.configure(builder, real_time=True).getOrCreate()


def results(rows: DataFrame, query: str) -> DataFrame:
    """When a probe arrives and when its result is emitted."""
    if query == "stock":
        made = rows.dropDuplicates(["u"])
    else:
        rows.createOrReplaceTempView("r")
        made = rows.sparkSession.sql(
            "SELECT *, sum(x) OVER w AS s, max(x) OVER w AS m FROM r "
            f"WINDOW w AS (PARTITION BY g ORDER BY t {FRAMES[query]})"
        )
    return made.where("v < 0").selectExpr("arrived", f"{NOW} AS emitted")


@contextmanager
def threads(*bodies: Any) -> Iterator[threading.Event]:
    stop = threading.Event()
    running = [threading.Thread(target=body, args=(stop,), daemon=True) for body in bodies]
    for one in running:
        one.start()
    try:
        yield stop
    finally:
        stop.set()
        for one in running:
            one.join()


def run(spark: SparkSession, query: str, groups: int, seconds: int, batches: int) -> Any:
    """Run a query, and return its progress and the times of the probes' results."""
    feed = Feed(spark, groups)
    name = f"{query}_{groups}"
    # Each of the first batches has new groups, and a new JVM.
    wanted = batches + 2
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        writer = results(feed.rows, query).writeStream.format("memory").queryName(name)
        writer = writer.outputMode("update").option("checkpointLocation", folder)
        trigger = {"realTime": f"{seconds} seconds"}
        running = writer.trigger(**trigger).start()
        done: dict[int, Any] = {}

        def rounds(stop: threading.Event) -> None:
            while not stop.is_set():
                before = len(done)
                feed.round(seconds * 0.8, stop)
                while len(done) == before and not stop.is_set():
                    time.sleep(0.01)

        with threads(feed.probe, rounds):
            while len(done) < wanted:
                time.sleep(0.02)
                if not running.isActive:
                    raise RuntimeError(str(running.exception()))
                for progress in running.recentProgress:
                    done[progress["batchId"]] = progress
        running.stop()
    emitted = [row.emitted for row in spark.table(name).select("emitted").collect()]
    spark.sql(f"DROP VIEW {name}")
    return str(running.runId), done, sorted(emitted)


def logged(log: Path) -> dict[tuple[str, int], Batch]:
    """The batches of each run in Spark's event log."""
    batches: dict[tuple[str, int], Batch] = {}
    of_stage: dict[int, tuple[Batch, int]] = {}
    of_job: dict[int, Batch] = {}
    for file in log.iterdir():
        for line in file.read_text().splitlines():
            event = json.loads(line)
            kind = event["Event"]
            if kind == "SparkListenerJobStart":
                properties = event.get("Properties", {})
                run_id = properties.get("spark.jobGroup.id")
                number = properties.get("streaming.sql.batchId")
                if run_id is not None and number is not None:
                    batch = batches.setdefault((run_id, int(number)), Batch())
                    batch.job_start = event["Submission Time"]
                    of_job[event["Job ID"]] = batch
                    for order, stage in enumerate(sorted(event["Stage IDs"])):
                        of_stage[stage] = (batch, order)
            elif kind == "SparkListenerJobEnd" and event["Job ID"] in of_job:
                of_job[event["Job ID"]].job_end = event["Completion Time"]
            elif kind == "SparkListenerTaskEnd" and event["Stage ID"] in of_stage:
                batch, order = of_stage[event["Stage ID"]]
                batch.ends.setdefault(order, []).append(event["Task Info"]["Finish Time"])
                for value in event["Task Info"]["Accumulables"]:
                    if value.get("Name") == "time to commit changes":
                        batch.commit = max(batch.commit, float(value["Update"]))
    return batches


def gap_after(now: Batch, after: Batch, planning: float, emitted: list[int]) -> Gap:
    """The gap between two batches, and its parts."""
    last_source, last = max(now.ends[0]), max(now.ends[max(now.ends)])
    before = max(at for at in emitted if at <= last)
    first = min(at for at in emitted if at >= after.job_start)
    return {
        "gap": first - before,
        "tasks end": last_source - before,
        "flush": last - last_source - now.commit,
        "state commit": now.commit,
        "logs": after.job_start - last - planning,
        "planning": planning,
        "first result": first - after.job_start,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency.gap")
    parser.add_argument("--groups", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--queries", nargs="+", choices=list(TITLES), default=list(TITLES))
    parser.add_argument("--batches", type=int, default=4, help="whose gaps are measured")
    parser.add_argument("--seconds", type=int, default=15, help="of a batch")
    parser.add_argument("--conf", nargs="+", default=[], metavar="KEY=VALUE", help="of Spark")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        log = Path(folder)
        spark = session(log, options.conf)
        found = []
        for groups in options.groups:
            for query in options.queries:
                print(f"{TITLES[query]}, {groups:,} groups", flush=True)
                ran = run(spark, query, groups, options.seconds, options.batches)
                found.append((query, groups, ran))
        spark.stop()
        batches = logged(log)
    lines = []
    for query, groups, (run_id, progress, emitted) in found:
        gaps = [
            gap_after(
                batches[run_id, n],
                batches[run_id, n + 1],
                progress[n + 1]["durationMs"].get("queryPlanning", 0.0),
                emitted,
            )
            for n in range(1, options.batches + 1)
        ]
        print(query, groups, gaps)
        medians = [f"{statistics.median(gap[part] for gap in gaps):,.0f}" for part in PARTS]
        lines.append([TITLES[query], f"{groups:,}", *medians])
    print("\n".join(report.table(["", "groups", *PARTS], lines)))


if __name__ == "__main__":
    main()
