"""Queries without Muntin's functions, in sessions with and without the jar."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selection import IS_GATE, is_selected

from benchmarks.harm import tpcds
from benchmarks.harm.pair import Pair, pair
from benchmarks.harm.tpcds import TpcDs

pytestmark = pytest.mark.packaging


@pytest.fixture(scope="module")
def tpc() -> TpcDs:
    return tpcds.read()


@pytest.fixture(scope="module")
def both(tpc: TpcDs) -> Iterator[Pair]:
    with pair() as sessions:
        for statement in tpc.tables.values():
            sessions.make(statement)
        yield sessions


def test_queries_without_a_window_have_the_same_plans(both: Pair, tpc: TpcDs) -> None:
    compared = 0
    for i, (number, query) in enumerate(tpc.queries.items()):
        if not is_selected(i, 6):
            continue
        stock, ours = (worker.ask("shown", query) for worker in (both.stock, both.jar))
        assert stock.get("error") == ours.get("error"), number
        if "Window" in stock.get("plans", ""):
            assert "MuntinWindow" in ours["plans"], number
        elif "error" not in stock:
            assert stock["plans"] == ours["plans"], number
            compared += 1
    assert compared >= (11 if IS_GATE else 84)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT nth, sliding.rate FROM VALUES (1, named_struct('rate', 2)) AS ticks(nth, sliding)",
        "SELECT no_function(1), other.rate(2)",
        "SELECT window.start, count(*) FROM VALUES (TIMESTAMP '2026-01-01') AS t(ts) "
        "GROUP BY window(ts, '1 hour')",
        "SELECT session_window.start FROM VALUES (TIMESTAMP '2026-01-01') AS t(ts) "
        "GROUP BY session_window(ts, '5 minutes')",
        "WITH validity AS (SELECT 1 AS since) SELECT since FROM validity",
        "SELECT count(DISTINCT x), collect_set(x), median(x) FROM VALUES (1) AS t(x)",
        "EXPLAIN SELECT 1",
        "SHOW FUNCTIONS LIKE 'sum'",
    ],
)
def test_queries_without_muntin_functions_do_not_change(both: Pair, query: str) -> None:
    stock, ours = (worker.ask("shown", query) for worker in (both.stock, both.jar))
    assert (stock.get("error"), stock.get("plans")) == (ours.get("error"), ours.get("plans"))
