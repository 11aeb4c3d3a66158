"""As-of joins and joins of intervals in Muntin, DuckDB, Polars and stock Spark."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.data import Data
from benchmarks.groups import chapter as groups
from benchmarks.groups import with_polars
from benchmarks.groups.data import Intervals, Times
from benchmarks.groups.question import Limit, Question, Rival

TITLE = "## As-of joins and interval joins"
ROWS = 4_000_000

# The minimum cost of a join in Spark: read both sides, and combine them by their keys.
FLOOR = "floor: both sides read and shuffled"


def _floor(left: str, right: str) -> Rival:
    return Rival(
        FLOOR,
        f"SELECT /*+ REPARTITION(8, k) */ {left} FROM l UNION ALL "
        f"SELECT /*+ REPARTITION(8, k) */ {right} FROM r",
    )


def chapter(rows: int | None, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Return the chapter of the report."""
    return groups.chapter(questions(rows or ROWS, rounds), say, TITLE)


def questions(rows: int, rounds: int) -> list[Question]:
    """Return the questions: the last and the nearest quote at each trade; overlapping intervals."""
    return [
        asof(rows, 100, "backward", rounds),
        asof(rows, 10_000, "backward", rounds),
        asof(rows, 100, "nearest", rounds),
        overlaps(rows // 4, rounds),
    ]


def asof(rows: int, keys: int, direction: with_polars.Strategy, rounds: int) -> Question:
    """Return the as-of joins; both sides have the same number of rows."""
    polars = Rival("Polars, join_asof", with_polars.asof(direction), "polars")
    duckdb = Rival(
        "DuckDB, ASOF JOIN",
        "SELECT l.id, l.t, r.v FROM l ASOF LEFT JOIN r ON l.k = r.k AND l.t >= r.t",
        "duckdb",
    )
    # Stock Spark scans all earlier rows of the key for each row, so it runs on some keys only.
    some = max(1, keys // 100)
    stock = Rival(
        "stock Spark, ASOF JOIN",
        f"SELECT l.id, l.t, r.v FROM (SELECT * FROM l WHERE k < {some}) l "
        "LEFT ASOF JOIN r MATCH_CONDITION (l.t >= r.t) ON l.k = r.k",
        share=keys // some,
    )
    # DuckDB and Spark SQL do not support the nearest row.
    floor = _floor("k, t, id", "k, t, CAST(v AS BIGINT)")
    rivals = (floor, polars) if direction == "nearest" else (floor, polars, duckdb, stock)
    limits: tuple[Limit, ...] = (Limit(FLOOR, 1.3), Limit(polars.name, 1.5))
    if direction != "nearest":
        limits = (*limits, Limit(stock.name, 1.0))
    return Question(
        f"asof, {direction}, {keys:,} keys",
        {"l": Times(rows, keys, rows), "r": Data(rows, keys)},
        "SELECT l.id, l.t, r.v FROM l LEFT JOIN r "
        f"ON l.k = r.k AND asof(l.t, r.t, direction => '{direction}')",
        rivals,
        limits,
        rounds=rounds,
    )


def overlaps(rows: int, rounds: int) -> Question:
    """Return the joins of intervals; each row overlaps about four others of its key."""
    pairs = "SELECT count(*) AS n, sum(l.v * r.v) AS s FROM l JOIN r ON l.k = r.k AND "
    compared = "l.s < r.e AND r.s < l.e"
    some = f"{pairs} l.k < 10 AND {compared}"
    # Both compare each row with all rows of its key, so they run on a tenth of the keys.
    duckdb = Rival("DuckDB, range join", some, "duckdb", share=10)
    stock = Rival("stock Spark, range join", some, share=10)
    return Question(
        "overlaps, 4 at a time, 100 keys",
        {"l": Intervals(rows, 100, 1), "r": Intervals(rows, 100, 2)},
        pairs + "overlaps(l.s, l.e, r.s, r.e)",
        (_floor("k, s, e, v", "k, s, e, v"), duckdb, stock),
        (Limit(FLOOR, 1.5), Limit(duckdb.name, 0.1), Limit(stock.name, 0.1)),
        rounds=rounds,
    )
