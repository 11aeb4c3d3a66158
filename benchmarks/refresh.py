"""A table of results that is refreshed after changes, compared with the whole query."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import muntin as mt
from pyspark.sql import DataFrame, SparkSession

from benchmarks import machine, report
from benchmarks.data import BUILD
from benchmarks.memory import events, logging_to
from benchmarks.session import ADAPTIVE, CORES, session

TITLE = "## Refreshing a table"
ROWS = 100_000_000
KEYS = 10_000
DAYS = 3 * 365
# The time of a refresh after one more day, as a part of the query's time.
LIMIT_OF_A_DAY = 0.05
# The time of any refresh.
LIMIT = 1.05
# As many rows that an estimate does not prefer the whole query.
WARM_ROWS = 5_000_000
WARM_ROUNDS = 4
QUERY = """
    SELECT k, t, v, avg(v) OVER w AS week, max(v) OVER w AS highest, month
    FROM readings WINDOW w AS (PARTITION BY k ORDER BY t RANGE INTERVAL 7 DAYS PRECEDING)"""
QUERY_OF_ROWS = QUERY.replace("RANGE INTERVAL 7 DAYS", "ROWS 20")
QUERY_OF_TOTALS = """
    SELECT k, t, v, count(v) OVER w AS readings, max(t) OVER w AS newest, month
    FROM readings WINDOW w AS (PARTITION BY k ORDER BY t)"""
QUERY_OF_DAYS = """
    SELECT k, tumble.start AS t, avg(v) AS mean, max(v) AS highest,
        CAST(trunc(tumble.start, 'month') AS DATE) AS month
    FROM readings GROUP BY k, tumble(t, '1 day')"""
COLUMNS = ("k", "t", "v", "month")
FIRST = "TIMESTAMP'2023-01-01 00:00:00'"
LAST_DAY = f"{FIRST} + INTERVAL {DAYS - 1} DAYS"
DAY = "one day arrives"
T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """Rows before and after a change, the changed rows, whether they are the newest, a query."""

    title: str
    before: DataFrame
    after: DataFrame
    rows: DataFrame
    is_newest: bool = False
    query: str = QUERY


def chapter(rows: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    with tempfile.TemporaryDirectory(prefix="muntin-refresh-") as log:
        spark = session(
            **{ADAPTIVE: "true", "spark.sql.shuffle.partitions": str(4 * CORES)},
            # By default, Spark writes timestamps to Parquet without statistics.
            **{"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"},
            **logging_to(log),
        )
        for _ in range(WARM_ROUNDS):
            _measured(spark, min(rows, WARM_ROWS), "warm: ", lambda _: None)
        timed = _measured(spark, rows, "", say)
        spark.stop()
        moved = _bytes(Path(log))
    lines = []
    for title, (results, seconds) in timed.items():
        shown = title
        for who, time_of in seconds.items():
            ratio = time_of / seconds["Muntin, whole"]
            limit = LIMIT_OF_A_DAY if title == DAY else LIMIT
            marked = " !" if who == "refresh" and ratio > limit else ""
            read, written = (f"{n / 2**20:,.0f}" for n in moved[f"{title}: {who}"])
            lines.append(
                [shown, who, f"{time_of:.1f}", f"{ratio:.3f}{marked}", read, written, results]
            )
            shown, results = "", ""
    head = ["change", "", "seconds", "/ Muntin, whole", "MiB read", "MiB written", "results"]
    return [
        "",
        TITLE,
        "",
        f"{rows:,} rows of {KEYS:,} keys in {DAYS:,} days, on {CORES} cores. avg and max over 7 "
        "days of each row, over 21 rows, or by day, or a running count and maximum, in a Parquet "
        "table with a partition for each month: "
        "the whole query over the changed rows, by Muntin and by stock Spark; a lookback, which "
        "writes the last month from the rows of this month and of 7 days before (only right for "
        "new rows); and `mt.refresh`. Results: how many a refresh inserts. ! marks a refresh after "
        f"one day that takes more than {LIMIT_OF_A_DAY} of the whole query in Muntin, and any "
        f"refresh that takes more than {LIMIT}. {machine.when()}.",
        "",
        *report.table(head, lines),
    ]


def _measured(
    spark: SparkSession, rows: int, prefix: str, say: Callable[[str], None]
) -> dict[str, tuple[str, dict[str, float]]]:
    """Return for each change the number of results, and the seconds of each contender."""
    folder = Path(tempfile.mkdtemp(dir=BUILD))
    _source(spark, rows).write.partitionBy("month").parquet(str(folder / "first"))
    timed = {}
    for change in _changes(spark.read.parquet(str(folder / "first")).select(*COLUMNS)):
        timing = Timing(spark, f"{prefix}{change.title}: ", {}, say)
        _use(change.before)
        spark.sql("DROP TABLE IF EXISTS refreshed")
        spark.sql(change.query).write.partitionBy("month").saveAsTable("refreshed")
        _use(change.after)
        timing.of("Muntin, whole", partial(_write, spark.sql(change.query), folder / "whole"))
        if change.is_newest and not prefix:
            spark.conf.set("spark.muntin.over.enabled", "false")
            timing.of("stock Spark, whole", partial(_write, spark.sql(QUERY), folder / "stock"))
            spark.conf.unset("spark.muntin.over.enabled")
        if change.is_newest:
            timing.of("lookback", partial(_write, _lookback(spark), folder / "months"))
        change.rows.write.mode("overwrite").parquet(str(folder / "changes"))
        changes = spark.read.parquet(str(folder / "changes"))
        done = timing.of("refresh", partial(_refresh, spark, change, changes))
        timed[change.title] = f"{done:,}", timing.seconds
    spark.sql("DROP TABLE IF EXISTS refreshed")
    shutil.rmtree(folder)
    return timed


@dataclass(frozen=True)
class Timing:
    """The seconds of each contender, whose jobs have its name as their group."""

    spark: SparkSession
    prefix: str
    seconds: dict[str, float]
    say: Callable[[str], None]

    def of(self, who: str, body: Callable[[], T]) -> T:
        """Run `body`, and add its seconds."""
        self.spark.sparkContext.setJobGroup(f"{self.prefix}{who}", who)
        began = time.perf_counter()
        result = body()
        self.seconds[who] = time.perf_counter() - began
        self.spark.sparkContext.setJobGroup("", "")
        self.say(f"{self.prefix}{who} {self.seconds[who]:.1f} s")
        return result


def _refresh(spark: SparkSession, change: Change, changes: DataFrame) -> int:
    row = mt.refresh(spark.sql(change.query), "refreshed", changes, source="readings").first()
    assert row is not None
    return int(row.inserted)


def _changes(first: DataFrame) -> list[Change]:
    old = f"t < {LAST_DAY}"
    late = f"pmod(hash(k, t, 7), 1000) = 0 AND t >= {LAST_DAY} - INTERVAL 30 DAYS"
    one_key = f"k = 17 AND t < {FIRST} + INTERVAL 60 DAYS"
    everywhere = "pmod(hash(k, t, 9), 20) = 0"
    day = first.where(old), first, first.where(f"NOT ({old})")
    return [
        Change(DAY, *day, is_newest=True),
        Change(f"{DAY}, ROWS 20 PRECEDING", *day, query=QUERY_OF_ROWS),
        Change(f"{DAY}, running count and maximum", *day, query=QUERY_OF_TOTALS),
        Change(f"{DAY}, GROUP BY tumble(t, '1 day')", *day, query=QUERY_OF_DAYS),
        Change(
            "0.1% of the last month arrives late",
            first.where(f"NOT ({late})"),
            first,
            first.where(late),
        ),
        Change(
            "one old key is corrected",
            first,
            first.selectExpr("k", "t", f"IF({one_key}, v + 1, v) AS v", "month"),
            first.where(one_key).union(
                first.where(one_key).selectExpr("k", "t", "v + 1 AS v", "month")
            ),
        ),
        Change(
            "5% of all rows arrive late",
            first.where(f"NOT ({everywhere})"),
            first,
            first.where(everywhere),
        ),
    ]


def _source(spark: SparkSession, rows: int) -> DataFrame:
    seconds = DAYS * 86400
    return (
        spark.range(rows)
        .selectExpr(
            f"pmod(hash(id, 1), {KEYS}) AS k",
            f"{FIRST} + make_dt_interval(0, 0, 0, pmod(xxhash64(id, 2), {seconds})) AS t",
            "hash(id, 3) / 1e7 AS v",
        )
        .selectExpr("*", "CAST(trunc(t, 'month') AS DATE) AS month")
    )


def _use(rows: DataFrame) -> None:
    rows.createOrReplaceTempView("readings")


def _write(rows: DataFrame, folder: Path) -> None:
    rows.write.mode("overwrite").partitionBy("month").parquet(str(folder))


def _lookback(spark: SparkSession) -> DataFrame:
    """Return the results of the last month, from the rows of this month and of 7 days before."""
    month = f"CAST(trunc({LAST_DAY}, 'month') AS DATE)"
    since = f"t >= CAST({month} AS TIMESTAMP) - INTERVAL 7 DAYS"
    rows = spark.sql(QUERY.replace("FROM readings", f"FROM (SELECT * FROM readings WHERE {since})"))
    return rows.where(f"month >= {month}")


def _bytes(log: Path) -> dict[str, tuple[int, int]]:
    """Return the bytes that the jobs of each group have read and written."""
    group_of: dict[int, str] = {}
    moved: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for event in events(log):
        if event["Event"] == "SparkListenerJobStart":
            group = (event.get("Properties") or {}).get("spark.jobGroup.id", "")
            group_of.update(dict.fromkeys(event["Stage IDs"], group))
        elif event["Event"] == "SparkListenerTaskEnd":
            read, written = moved[group_of.get(event["Stage ID"], "")]
            metrics = event["Task Metrics"]
            moved[group_of.get(event["Stage ID"], "")] = (
                read + metrics["Input Metrics"]["Bytes Read"],
                written + metrics["Output Metrics"]["Bytes Written"],
            )
    return moved
