"""The questions."""

from __future__ import annotations

from benchmarks.streams.question import Question

BASIC = "count(v) AS n, sum(v) AS s, max(v) AS m"

VALIDITY = f"SELECT k, validity, {BASIC} FROM r GROUP BY k, validity(t, until)"
FIELD_WINDOW = f"SELECT k, field_window, {BASIC} FROM r GROUP BY k, field_window(t, 60, 60)"


def _revised(query: str) -> str:
    return query.replace(" FROM r", ", revision() FROM r")


def _over(frame: str) -> str:
    window = f"(PARTITION BY k ORDER BY t {frame})"
    return f"SELECT k, t, count(v) OVER {window} AS n, sum(v) OVER {window} AS s FROM r"


def _flink(interval: str) -> str:
    window = (
        f"(PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL {interval} PRECEDING AND CURRENT ROW)"
    )
    return f"SELECT k, t, COUNT(v) OVER {window} AS n, SUM(v) OVER {window} AS s FROM r"


STOCK = {
    "stock Spark, window('1 minute')": (
        "SELECT k, window(t, '1 minute') AS w, count(v) AS n, sum(v) AS s FROM r "
        "GROUP BY k, window(t, '1 minute')"
    ),
    "stock Spark, session_window('1 minute')": (
        "SELECT k, session_window(t, '1 minute') AS w, count(v) AS n, sum(v) AS s FROM r "
        "GROUP BY k, session_window(t, '1 minute')"
    ),
    "stock Spark, dropDuplicatesWithinWatermark": "",
}


def all_questions() -> list[Question]:
    """Return all questions."""
    return [
        Question(
            "OVER RANGE, 1 minute",
            _over("RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW"),
            STOCK,
            plain=60,
            flink=_flink("'1' MINUTE"),
            revised=_revised(_over("RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW")),
        ),
        Question(
            "OVER RANGE, 1 day",
            _over("RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW"),
            flink=_flink("'1' DAY"),
        ),
        Question(
            "sliding, 20 rows",
            "SELECT k, t, sliding(count(v), 20, partial => true) OVER w AS n, "
            "sliding(sum(v), 20, partial => true) OVER w AS s FROM r "
            "WINDOW w AS (PARTITION BY k ORDER BY t)",
        ),
        Question(
            "validity, 10 valid at a time",
            VALIDITY,
            revised=_revised(VALIDITY),
        ),
        Question(
            "field_window, 1 minute",
            FIELD_WINDOW,
            revised=_revised(FIELD_WINDOW),
        ),
    ]
