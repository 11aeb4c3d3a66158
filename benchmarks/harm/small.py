"""The chapter of the report: windows over small tables, from parsing to the last row."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import report
from benchmarks.harm.chapter import line
from benchmarks.harm.pair import Pair, pair
from benchmarks.harm.planning import Planned, all_queries

TITLE = "## Small tables"
LIMIT = 1.05
ROWS = (100, 1_000, 9_999)


def chapter(rounds: int, say: Callable[[str], None]) -> list[str]:
    """Measure in two processes in turn."""
    lines = []
    with pair() as both:
        for rows in ROWS:
            both.make("DROP TABLE IF EXISTS readings")
            both.make(
                "CREATE TABLE readings USING parquet AS SELECT CAST(id % 10 AS INT) AS k, "
                "timestamp_seconds(id * 60) AS at, id * 0.5D AS x, id % 97 * 0.25D AS y, "
                f"CAST(id % 13 AS INT) AS n FROM range(0, {rows}, 1, 1)"
            )
            lines += [_line(both, rows, planned, rounds, say) for planned in all_queries()]
    return [
        "",
        TITLE,
        "",
        "Milliseconds to analyze, optimize, plan and run a query over a table of this size in "
        "one Parquet file, 10 keys, by one thread, in two processes with one session each, one "
        "with the jar and one without, which run in turn. The median of "
        f"{rounds}, after half as many to warm up the JIT. Windows of groups are compared with "
        "Spark's `window`.",
        "",
        *report.table(["", "without", "with the jar", "ratio", "limit"], lines),
    ]


def _line(
    both: Pair, rows: int, planned: Planned, rounds: int, say: Callable[[str], None]
) -> list[str]:
    stock, jar = both.times("drop", planned.stock, planned.query, rounds + rounds // 2)
    found = line(f"{rows:,} rows: {planned.name}", stock[rounds // 2 :], jar[rounds // 2 :], LIMIT)
    say(f"small: {found}")
    return found
