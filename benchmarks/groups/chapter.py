"""Times the questions, and writes their chapter of the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import duckdb
from pyspark.sql import DataFrame, SparkSession

from benchmarks import report
from benchmarks.groups.question import Question, Rival
from benchmarks.session import CORES, session

TITLE = "## Windows of groups"
MUNTIN = "Muntin"
# A rival that takes this many times as long does not run again, if it was warm or took LONG
# seconds. After two rounds, no contender runs again if all limits are reached by CLEAR_LIMIT.
CLEAR = 1.5
LONG = 8.0
CLEAR_LIMIT = 1.1


def chapter(
    questions: Sequence[Question], say: Callable[[str], None], title: str = TITLE
) -> list[str]:
    """Return the chapter of the report."""
    for question in questions:
        for table in question.tables.values():
            table.make()
    spark = session()
    duck = duckdb.connect(config={"threads": CORES})
    duck.execute("SET TimeZone = 'UTC'")
    lines = []
    for question in questions:
        lines += _lines(question, _seconds(question, spark, duck, say))
    spark.stop()
    return [
        "",
        title,
        "",
        "Spark's sink is noop; DuckDB returns results to memory. Best of the given rounds, fewer "
        "if the limits are clearly reached. The time of a query that ran on a part of the keys or "
        "anchors (1/10) is multiplied for the comparison with Muntin.",
        "",
        *report.table(["", "who", "seconds", "rounds", "Muntin / it", "limit"], lines),
    ]


def _seconds(
    question: Question,
    spark: SparkSession,
    duck: duckdb.DuckDBPyConnection,
    say: Callable[[str], None],
) -> dict[str, list[float]]:
    say(question.title)
    for name, table in question.tables.items():
        spark.read.parquet(str(table.path)).createOrReplaceTempView(name)
        duck.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS FROM read_parquet('{table.files}')")
    seconds: dict[str, list[float]] = {name: [] for name in (MUNTIN, *_names(question))}
    for number in range(question.rounds):
        if number > 1 and _is_clear(question, seconds):
            break
        for rival in question.rivals:
            if number > 0 and not _is_close(seconds, rival, number):
                continue
            began = time.perf_counter()
            if not isinstance(rival.asked, str):
                rival.asked(question.tables)
            elif rival.engine == "duckdb":
                duck.execute(f"CREATE OR REPLACE TEMP TABLE result AS {rival.asked}")
            else:
                spark.conf.set("spark.muntin.over.enabled", "false")
                spark.conf.set("spark.muntin.asof.enabled", "false")
                spark.conf.set("spark.sql.join.asofJoin.enabled", "true")
                _run(spark.sql(rival.asked))
            seconds[rival.name].append(time.perf_counter() - began)
            say(f"  round {number + 1}  {rival.name:<40}{seconds[rival.name][-1]:7.2f} s")
        began = time.perf_counter()
        ours = question.muntin
        _run(spark.sql(ours) if isinstance(ours, str) else ours(spark))
        seconds[MUNTIN].append(time.perf_counter() - began)
        say(f"  round {number + 1}  {MUNTIN:<40}{seconds[MUNTIN][-1]:7.2f} s")
    return seconds


def _run(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _names(question: Question) -> list[str]:
    return [r.name for r in question.rivals]


def _is_close(seconds: dict[str, list[float]], rival: Rival, number: int) -> bool:
    best = min(seconds[rival.name])
    is_cold = number == 1 and best < LONG
    return rival.share == 1 and (is_cold or best < CLEAR * min(seconds[MUNTIN]))


def _is_clear(question: Question, seconds: dict[str, list[float]]) -> bool:
    ours = min(seconds[MUNTIN])
    shares = {r.name: r.share for r in question.rivals}
    return all(
        CLEAR_LIMIT * ours <= limit.most * shares[limit.over] * min(seconds[limit.over])
        for limit in question.limits
    )


def _lines(question: Question, seconds: dict[str, list[float]]) -> list[list[str]]:
    ours = min(seconds[MUNTIN])
    note = f" ({question.note})" if question.note else ""
    lines = [[question.title + note, MUNTIN, f"{ours:.2f}", str(len(seconds[MUNTIN])), "", ""]]
    limits = {limit.over: limit.most for limit in question.limits}
    for rival in question.rivals:
        best = min(seconds[rival.name])
        ratio = ours / (best * rival.share)
        most = limits.get(rival.name)
        lines.append(
            [
                "",
                rival.name,
                f"{best:.2f}" + (f" for 1/{rival.share}" if rival.share > 1 else ""),
                str(len(seconds[rival.name])),
                f"{ratio:.3g}" + (" !" if most is not None and ratio > most else ""),
                "" if most is None else f"<= {most}",
            ]
        )
    return lines
