"""The chapter of the report: the cost of the jar for queries that do not use it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from benchmarks import report
from benchmarks.harm import tpcds
from benchmarks.harm.pair import Pair, pair

TITLE = "## What the jar costs queries that do not use it"
PLANNING, SMALL = 1.03, 1.05
ONE = "SELECT 1"
WINDOW = (
    "SELECT k, sum(x) OVER (PARTITION BY k ORDER BY t ROWS 3 PRECEDING) AS s "
    "FROM (SELECT id % 10 AS k, id AS t, id * 0.5D AS x FROM range(100))"
)


def chapter(rounds: int, say: Callable[[str], None]) -> list[str]:
    """Measure in two processes in turn, each several times."""
    starts: dict[str, list[float]] = {"stock": [], "jar": []}
    benchmark = tpcds.read()
    for _ in range(rounds):
        with pair() as both:
            starts["stock"].append(both.stock.started)
            starts["jar"].append(both.jar.started)
    say(f"harm: starts {starts}")
    lines = [line("a session starts", starts["stock"], starts["jar"], None)]
    with pair() as both:
        for statement in benchmark.tables.values():
            both.make(statement)
        # The first rounds warm up the JIT compiler.
        lines.append(_asked(both, ONE, "run", 100 * rounds, say))
        lines.append(_asked(both, WINDOW, "run", 100 * rounds, say))
        lines.append(_planned(both, benchmark.queries.values(), rounds, say))
    return [
        "",
        TITLE,
        "",
        "Two processes with one session each, one with the jar and one without, run in turn, "
        "so that noise affects both equally. Milliseconds: for a start, SELECT 1 and a window over "
        "100 rows, the median; for the 99 queries of TPC-DS, over empty tables, the time to "
        "analyze, optimize and plan all of them, each by its best round (15 of them have "
        "windows, which Muntin then plans).",
        "",
        *report.table(["", "without", "with the jar", "ratio", "limit"], lines),
    ]


def _asked(both: Pair, query: str, what: str, rounds: int, say: Callable[[str], None]) -> list[str]:
    stock, jar = both.times(what, query, query, rounds)
    say(f"harm: {query} {statistics.median(stock):.4f} {statistics.median(jar):.4f}")
    name = "`SELECT 1`" if query == ONE else "a window over 100 rows"
    return line(name, stock[rounds // 2 :], jar[rounds // 2 :], SMALL)


def _planned(
    both: Pair, queries: Iterable[str], rounds: int, say: Callable[[str], None]
) -> list[str]:
    asked = list(queries)
    times: list[tuple[list[float], list[float]]] = [([], []) for _ in asked]
    stocks = jars = 0.0
    for round_ in range(2 * rounds):
        for query, (stock, jar) in zip(asked, times, strict=True):
            for worker, seconds in both.in_turn(stock, jar, round_):
                seconds.append(worker.seconds("plan", query))
        stocks, jars = (sum(min(side) for side in sides) for sides in zip(*times, strict=True))
        say(f"harm: TPC-DS planned, {jars / stocks:.3f}")
    return line("TPC-DS is planned", [stocks], [jars], PLANNING)


def line(name: str, stock: list[float], jar: list[float], limit: float | None) -> list[str]:
    """Return the row of the table: medians, their ratio, and the limit."""
    one, other = statistics.median(stock), statistics.median(jar)
    ratio = other / one
    missed = " !" if limit is not None and ratio > limit else ""
    return [
        name,
        f"{one * 1000:.1f}",
        f"{other * 1000:.1f}",
        f"{ratio:.3f}{missed}",
        "" if limit is None else f"<= {limit}",
    ]
