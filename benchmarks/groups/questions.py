"""The questions, with the queries that do not use Muntin."""

from __future__ import annotations

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.data import Data
from benchmarks.groups import with_polars
from benchmarks.groups.data import Anchors, Decade, Intervals
from benchmarks.groups.question import BASIC, Limit, Question, Rival

ROWS = 4_000_000
ANCHORS = 100_000


def full(rows: int = ROWS) -> list[Question]:
    """Return all questions."""
    return [
        *(validity(rows, keys, overlap) for keys, overlap in VALIDITY),
        *(tumbling(rows, keys) for keys in (100, 10_000)),
        *(hopping(rows, ratio, most) for ratio, most in ((12, 0.4), (60, 0.08), (600, 0.01))),
        daily(rows),
        *(around(rows, width) for width in (10, 1_000, 100_000)),
    ]


def quick(rows: int = ROWS // 4) -> list[Question]:
    """Return one question of each kind."""
    return [
        validity(rows, 100, 16),
        tumbling(rows, 100),
        hopping(rows, 12, 0.4),
        around(rows, 1_000, ANCHORS // 4),
    ]


# If 100,000 rows are valid at a time, a key needs some more rows.
VALIDITY = ((100, 16), (10_000, 16), (100, 1_000), (10, 100_000))


def validity(rows: int, keys: int, overlap: int) -> Question:
    """Return the question for the count, the sum and the maximum of the valid rows."""
    endpoints = (
        "WITH steps AS (SELECT k, t, sum(d) AS d, sum(v) AS v FROM ("
        "SELECT k, s AS t, 1 AS d, v FROM r UNION ALL SELECT k, e AS t, -1 AS d, -v AS v FROM r) "
        "GROUP BY k, t), levels AS (SELECT k, t, lead(t) OVER f AS until, "
        "sum(d) OVER (PARTITION BY k ORDER BY t ROWS UNBOUNDED PRECEDING) AS n, "
        "sum(v) OVER (PARTITION BY k ORDER BY t ROWS UNBOUNDED PRECEDING) AS s FROM steps "
        "WINDOW f AS (PARTITION BY k ORDER BY t)) "
        "SELECT k, t, until, n, s, s / n AS a FROM levels WHERE n > 0"
    )
    # Starts and ends divide time into pieces; each piece is joined with its valid rows.
    some = f"(SELECT * FROM r WHERE k < {max(1, keys // 100)})"
    joined = (
        f"WITH few AS (SELECT * FROM {some}), edges AS (SELECT k, s AS t FROM few UNION "
        "SELECT k, e AS t FROM few), pieces AS (SELECT k, t, "
        "lead(t) OVER (PARTITION BY k ORDER BY t) AS until FROM edges) "
        f"SELECT p.k, p.t, p.until, {BASIC} FROM pieces p JOIN few r ON r.k = p.k AND r.s <= p.t "
        "AND r.e > p.t GROUP BY p.k, p.t, p.until"
    )
    rivals = [Rival("DuckDB, +1/-1 endpoints, no max", endpoints, engine="duckdb")]
    if overlap != 1_000:
        rivals.insert(0, Rival("stock Spark, +1/-1 endpoints, no max", endpoints))
    if overlap == 16 and keys == 100:
        rivals += [
            Rival("stock Spark, self-join", joined, share=100),
            Rival("DuckDB, self-join", joined, engine="duckdb", share=100),
        ]
    return Question(
        f"validity, {overlap:,} valid at a time, {keys:,} keys",
        {"r": Intervals(rows, keys, overlap)},
        f"SELECT k, validity, {BASIC} FROM r GROUP BY k, validity(s, e)",
        (
            Rival(
                "floor",
                "SELECT k, s, e, v, row_number() OVER (PARTITION BY k ORDER BY s) AS n FROM r",
            ),
            *rivals,
        ),
        (Limit("floor", 1.5), *(Limit(r.name, 1.0) for r in rivals)),
    )


def _spark_window(size: int, advance: int) -> str:
    return (
        f"SELECT k, window, {BASIC} FROM (SELECT k, timestamp_seconds(t) AS at, v FROM r) "
        f"GROUP BY k, window(at, '{size} seconds', '{advance} seconds')"
    )


def tumbling(rows: int, keys: int) -> Question:
    """Return the question for tumbling windows."""
    size = 600 if keys == 100 else 60
    stock = Rival("stock Spark, window(…)", _spark_window(size, size))
    return Question(
        f"field_window, tumbling, {size // 2} rows each, {keys:,} keys",
        {"r": Data(rows, keys)},
        f"SELECT k, field_window, {BASIC} FROM "
        "(SELECT k, timestamp_seconds(t) AS at, v FROM r) "
        f"GROUP BY k, field_window(at, {size}, {size})",
        (stock,),
        (Limit(stock.name, 1.0),),
        rounds=10,
    )


def hopping(rows: int, ratio: int, most: float) -> Question:
    """Return the question for overlapping windows."""
    size = 3_600
    # Copies each row for each window, so it runs on a part of the keys if there are many windows.
    share = {12: 1, 60: 5, 600: 50}[ratio]
    sql = _spark_window(size, size // ratio)
    if share > 1:
        sql = sql.replace("FROM r)", f"FROM r WHERE k < {100 // share})")
    stock = Rival("stock Spark, window(…) with a slide", sql, share=share)
    return Question(
        f"field_window, size / advance = {ratio}, 100 keys",
        {"r": Data(rows, 100)},
        f"SELECT k, field_window, {BASIC} FROM "
        "(SELECT k, timestamp_seconds(t) AS at, v FROM r) "
        f"GROUP BY k, field_window(at, {size}, {size // ratio}, open => 'all')",
        (stock,),
        (Limit(stock.name, most),),
    )


def daily(rows: int) -> Question:
    """Return the question for each key and day, including days without rows."""
    tick = "date_trunc('day', at - INTERVAL 1 MICROSECOND) + INTERVAL 1 DAY"
    last = "date_trunc('day', max(at)) + INTERVAL 1 DAY"
    stock = (
        "WITH days AS (SELECT explode(sequence(date_trunc('day', min(at)) + INTERVAL 1 DAY, "
        f"{last}, INTERVAL 1 DAY)) AS day FROM r), "
        f"totals AS (SELECT k, {tick} AS day, {BASIC} FROM r GROUP BY 1, 2), "
        f"firsts AS (SELECT k, min({tick}) AS first FROM r GROUP BY k) "
        "SELECT f.k, d.day, coalesce(n, 0) AS n, s, a, m "
        "FROM firsts f JOIN days d ON d.day >= f.first "
        "LEFT JOIN totals t ON t.k = f.k AND t.day = d.day"
    )
    return Question(
        "ticks, daily over ten years, 10,000 keys",
        {"r": Decade(rows, 10_000)},
        f"SELECT k, ticks, {BASIC} FROM r GROUP BY k, ticks(at, 'daily')",
        (Rival("stock Spark, sequence and join", stock),),
        (Limit("stock Spark, sequence and join", 0.5),),
        note="36.5 million results",
        rounds=2,
    )


def around(rows: int, width: int, anchors: int = ANCHORS) -> Question:
    """Return the question for the rows of each anchor's window."""
    keys = 10 if width == 100_000 else 100
    share = {10: 20, 1_000: 50, 100_000: 1_000}[width]
    join = (
        f"SELECT a.id, {BASIC} FROM (SELECT * FROM a WHERE id % {{share}} = 0) a "
        "LEFT JOIN r ON r.k = a.k AND r.t BETWEEN a.lo AND a.hi GROUP BY a.id"
    )
    duck_share = {10: 1, 1_000: 10, 100_000: 1_000}[width]
    rivals = (
        Rival("stock Spark, range join", join.format(share=share), share=share),
        Rival("DuckDB, range join", join.format(share=duck_share), "duckdb", duck_share),
        Rival("Polars, running sums and join_asof, no max", with_polars.around, "polars"),
    )

    def query(spark: SparkSession) -> DataFrame:
        windows = mt.window_by(
            spark.table("r"), spark.table("a"), time="t", start="lo", end="hi", on=["k"]
        )
        return windows.agg(
            F.count("v").alias("n"),
            F.sum("v").alias("s"),
            F.avg("v").alias("a"),
            F.max("v").alias("m"),
        )

    limits = [Limit(rivals[0].name, 0.1)]
    if width >= 1_000:
        limits.append(Limit(rivals[1].name, 1.0))
    return Question(
        f"window_by, {anchors:,} anchors, {width:,} rows each, {keys} keys",
        {"r": Data(rows, keys), "a": Anchors(anchors, keys, rows, width)},
        query,
        rivals,
        tuple(limits),
        note="rivals ran on a sample of the anchors",
    )
