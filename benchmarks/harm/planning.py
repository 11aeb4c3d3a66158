"""The chapter of the report: the cost of planning queries with windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import report
from benchmarks.harm.chapter import line
from benchmarks.harm.pair import Pair, pair

TITLE = "## Planning of queries with windows"
LIMIT = 1.2
PLANS = 20  # per round; the best one counts
TABLE = "CREATE TABLE readings (k INT, at TIMESTAMP, x DOUBLE, y DOUBLE, n INT) USING parquet"
OVER = "PARTITION BY k ORDER BY at"
FRAMES = (
    "ROWS 20 PRECEDING",
    "RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
)
FUNCTIONS = ("sum(x)", "avg(y)", "min(n)", "max(x)", "count(*)", "stddev(x)", "first(y)")


@dataclass(frozen=True)
class Planned:
    """A query with windows, and an equal or similar query for stock Spark."""

    name: str
    query: str
    stock: str


def _over(*items: str) -> str:
    return f"SELECT k, at, {', '.join(items)} FROM readings"


def _both(name: str, query: str) -> Planned:
    return Planned(name, query, query)


def _grouped(name: str, window: str, stock: str) -> Planned:
    text = "SELECT k, sum(x), avg(y), max(n), count(*) FROM readings GROUP BY k, "
    return Planned(name, text + window, text + stock)


def all_queries() -> list[Planned]:
    """Return all queries."""
    ten = [f"{f} OVER ({OVER} {FRAMES[i % 3]})" for i, f in enumerate((*FUNCTIONS, *FUNCTIONS[:3]))]
    return [
        _both("one aggregate", _over(f"sum(x) OVER ({OVER} {FRAMES[0]})")),
        _both("ten aggregates in three frames", _over(*ten)),
        _both("rank and lag", _over(f"rank() OVER ({OVER})", f"lag(x) OVER ({OVER})")),
        _grouped(
            "field_window, one after the other; `window`",
            "field_window(at, INTERVAL 1 HOUR, INTERVAL 1 HOUR)",
            "window(at, '1 hour')",
        ),
        _grouped(
            "field_window, overlapping; `window`",
            "field_window(at, INTERVAL 1 HOUR, INTERVAL 10 MINUTES)",
            "window(at, '1 hour', '10 minutes')",
        ),
    ]


def forty() -> Planned:
    """Return a query with forty windows, ten of them over the results of the other thirty."""
    functions = (*FUNCTIONS, "sum(y)", "min(x)", "last(n)")
    windows = [f"{f} OVER ({OVER} {frame})" for frame in FRAMES for f in functions]
    below = _over(*(f"{window} AS w{i}" for i, window in enumerate(windows)))
    above = ", ".join(f"max(w{i}) OVER ({OVER} {FRAMES[0]}) AS m{i}" for i in range(10))
    return _both("forty aggregates, ten of them over others", f"SELECT *, {above} FROM ({below})")


def chapter(rounds: int, say: Callable[[str], None]) -> list[str]:
    """Measure in two processes in turn."""
    with pair() as both:
        both.make(TABLE)
        lines = [_line(both, planned, rounds, say) for planned in (*all_queries(), forty())]
    return [
        "",
        TITLE,
        "",
        "Milliseconds to analyze, optimize and plan a query over an empty table, in two processes "
        "with one session each, one with the jar and one without, which run in turn. The best of "
        f"{rounds * PLANS} plans, after as many to warm up the JIT. Windows of groups are "
        "compared with Spark's `window`.",
        "",
        *report.table(["", "without", "with the jar", "ratio", "limit"], lines),
    ]


def _line(both: Pair, planned: Planned, rounds: int, say: Callable[[str], None]) -> list[str]:
    stock, jar = both.times("plan", planned.stock, planned.query, 2 * rounds * PLANS)
    one, other = (min(times[len(times) // 2 :]) for times in (stock, jar))
    say(f"planning: {planned.name} {one:.4f} {other:.4f}")
    return line(planned.name, [one], [other], LIMIT)
