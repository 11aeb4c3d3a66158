"""Runs the questions on a stream, and writes their chapter of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from benchmarks import machine, report
from benchmarks.session import CORES, session
from benchmarks.streams import contenders
from benchmarks.streams.contenders import LIMIT_SECONDS, Run
from benchmarks.streams.data import DISORDER_SECONDS, Readings
from benchmarks.streams.question import Question

TITLE = "## Streams"
FULL = Readings(rows=10_000_000, keys=10_000, files=10)
SHORT = Readings(rows=1_000_000, keys=10_000, files=5)
MUNTIN, ALONE = "Muntin", "only reading"
SPARK, FLINK = "Spark", "Flink"
ALONE_IN_FLINK = "SELECT k, t, CAST(1 AS BIGINT) AS n, v AS s FROM r"


@dataclass(frozen=True)
class Rivals:
    """The contenders in addition to Muntin, if a question names them."""

    stock: bool = True
    plain: bool = True
    flink: bool = False


@dataclass(frozen=True)
class Answer:
    """A line of the table."""

    question: str
    who: str
    run: Run


def chapter(
    data: Readings, questions: Sequence[Question], rivals: Rivals, say: Callable[[str], None]
) -> list[str]:
    """Return the chapter of the report."""
    data.make()
    if rivals.flink:
        contenders.make_flink()
        data.make(as_text=True)
    spark = session(
        **{
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.streaming.stateStore.providerClass": (
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
            ),
        }
    )
    answers: list[Answer] = []

    def add(question: str, who: str, run: Run) -> None:
        answers.append(Answer(question, who, run))
        say(f"{question:<32}{who:<45}{run.seconds:7.1f} s")

    contenders.stream(spark, data).createOrReplaceTempView("r")
    # The first run also warms up the machine.
    contenders.run(spark.sql("SELECT * FROM r"))
    add(ALONE, SPARK, contenders.run(spark.sql("SELECT * FROM r")))
    if rivals.flink:
        add(ALONE, FLINK, contenders.flink(data, ALONE_IN_FLINK, "hashmap"))
    for question in questions:
        _ask(question, spark, data, rivals, add)
    spark.stop()
    head = [
        "",
        "who",
        "seconds",
        "without reading",
        "rows per second",
        "rows in the state",
        "bytes per key, on disk",
        "as written",
        "Muntin / it",
        "Muntin / it, without reading",
    ]
    return [
        "",
        TITLE,
        "",
        f"{data.rows:,} rows of {data.keys:,} keys in {data.files} micro-batches, up to "
        f"{DISORDER_SECONDS} seconds out of order, from Parquet, on {CORES} cores; state in "
        "RocksDB, two partitions; Spark's sink is noop. Flink reads the same rows from text. Each "
        f"ran once, and was stopped after {LIMIT_SECONDS} seconds. State is the maximum size of "
        "the state. Times without reading are reduced by the time that the engine needs to only "
        f"read the rows. {machine.when()}.",
        "",
        *report.table(head, _lines(answers, data)),
    ]


def _ask(
    question: Question,
    spark: SparkSession,
    data: Readings,
    rivals: Rivals,
    add: Callable[[str, str, Run], None],
) -> None:
    rows = spark.table("r")
    add(question.title, MUNTIN, contenders.run(spark.sql(question.muntin)))
    if question.revised is not None:
        run = contenders.run(spark.sql(question.revised), "update")
        add(question.title, f"{MUNTIN}, output mode update", run)
    if rivals.stock:
        for who, sql in question.stock.items():
            frame = spark.sql(sql) if sql else rows.dropDuplicatesWithinWatermark(["k", "t"])
            add(question.title, who, contenders.run(frame))
    if rivals.plain and question.plain is not None:
        who = "transformWithState, a list of rows"
        add(question.title, who, contenders.plain(spark, rows, question.plain))
    if rivals.flink and question.flink is not None:
        for backend in ("hashmap", "rocksdb"):
            run = contenders.flink(data, question.flink, backend)
            add(question.title, f"{FLINK}, {backend}", run)


def _lines(answers: Sequence[Answer], data: Readings) -> list[list[str]]:
    alone = {a.who: a.run.seconds for a in answers if a.question == ALONE}

    def beyond(answer: Answer) -> float:
        return answer.run.seconds - alone[FLINK if answer.who.startswith(FLINK) else SPARK]

    ours = {a.question: a for a in answers if a.who == MUNTIN}
    lines = []
    for a in answers:
        run = a.run
        mine = ours.get(a.question)
        is_rival = mine is not None and a.who != MUNTIN
        more, less = ("", "") if run.is_ended else ("> ", "< ")
        lines.append(
            [
                "" if is_rival else a.question,
                a.who,
                more + f"{run.seconds:.1f}",
                "" if a.question == ALONE else more + f"{beyond(a):.1f}",
                less + f"{data.rows / run.seconds:,.0f}",
                f"{run.rows:,}" if run.rows else "",
                f"{run.on_disk / data.keys:,.0f}" if run.on_disk else "",
                f"{run.written / data.keys:,.0f}" if run.written else "",
                less + f"{mine.run.seconds / run.seconds:.2f}" if is_rival and mine else "",
                less + f"{beyond(mine) / beyond(a):.2f}" if is_rival and mine else "",
            ]
        )
    return lines
