"""The queries, and the engines that run them."""

from __future__ import annotations

from dataclasses import dataclass

RANGE = "PARTITION BY k ORDER BY {t} RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW"
ROWS = "PARTITION BY k ORDER BY {t} ROWS BETWEEN 99 PRECEDING AND CURRENT ROW"
REAL_TIME, MICRO_BATCHES = "real-time mode", "micro-batches"
MUNTIN, STOCK, FLINK = "Muntin", "stock Spark", "Flink"


@dataclass(frozen=True)
class Contender:
    """A query over the view `r` with the columns k, id, x and the time `at`.

    The result has the columns k, id, n and s; `result` names how the client computes n and s.
    Without `sql` the query is Spark's dropDuplicates.
    """

    name: str
    engine: str
    mode: str
    title: str
    result: str
    sql: str | None

    @property
    def line(self) -> str:
        return f"{self.engine}: {self.title}, {self.mode}"


def _over(window: str, time: str) -> str:
    window = window.format(t=time)
    return f"SELECT k, id, COUNT(*) OVER w AS n, SUM(x) OVER w AS s FROM r WINDOW w AS ({window})"


def contenders() -> list[Contender]:
    """All of them, in the order of their turns."""
    minute, rows = "OVER RANGE 1 minute", "OVER ROWS 100"
    once, total = "dropDuplicates", "GROUP BY"
    by_key = "SELECT k, max(id) AS id, count(*) AS n, sum(x) AS s FROM r GROUP BY k"
    event, processing = "event time", "processing time"
    made = [
        Contender("over-range", MUNTIN, REAL_TIME, minute, "range", _over(RANGE, "at")),
        Contender("dedup", STOCK, REAL_TIME, once, "once", None),
        Contender("over-rows", MUNTIN, REAL_TIME, rows, "rows", _over(ROWS, "at")),
        Contender("group-by", STOCK, REAL_TIME, total, "total", by_key),
        Contender("over-range-mb", MUNTIN, MICRO_BATCHES, minute, "range", _over(RANGE, "at")),
        Contender("dedup-mb", STOCK, MICRO_BATCHES, once, "once", None),
        Contender("over-rows-mb", MUNTIN, MICRO_BATCHES, rows, "rows", _over(ROWS, "at")),
    ]
    # Of the event time of a row, Flink waits for a later row; by its processing time it does not.
    for store in ("hashmap", "rocksdb"):
        by_event = Contender(
            f"flink-range-{store}", FLINK, f"{event}, {store}", minute, "range", _over(RANGE, "t")
        )
        by_clock = Contender(
            f"flink-rows-{store}", FLINK, f"{processing}, {store}", rows, "rows", _over(ROWS, "p")
        )
        made += [by_event, by_clock]
    return made
