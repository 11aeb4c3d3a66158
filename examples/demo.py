"""Rolling statistics of New York's weather and departures, with stock Spark and with Muntin.

``make demo`` runs it. Each question (newyork/questions.py) is plain Spark code. The last questions
use Muntin's functions, and have another query for stock Spark. The demo runs each question both
ways in one session, from Parquet to Parquet, compares the two results row by row, and draws two
charts. At the end two questions run on a stream, in which the year arrives month by month
(newyork/replay.py). The demo writes to build/demo.
"""

from __future__ import annotations

import contextlib
import io
import math
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import muntin as mt
from newyork import chart, data, replay
from newyork.comparison import compare
from newyork.group_questions import IN_THE_AIR
from newyork.progress import Progress
from newyork.question import Question
from newyork.questions import NOTES, QUESTIONS, TEMPERATURE
from pyspark.sql import DataFrame, SparkSession

BUILD = Path(__file__).resolve().parent.parent / "build" / "demo"
LOG = Path(__file__).resolve().parent / "newyork" / "log4j2.properties"
STOCK, MUNTIN = "stock Spark", "Muntin"

# A query that takes less than this many seconds runs twice, and the demo shows the better time,
# because the first run includes the compilation of the query.
SHORT = 2.0


def session() -> SparkSession:
    """Return a local session with Muntin, in the time zone of New York."""
    builder = (
        SparkSession.builder.appName("Muntin's demo")
        .master("local[*]")
        .config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.sql.warehouse.dir", str(BUILD / "warehouse"))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={LOG.as_uri()}")
    )
    return mt.configure(builder).getOrCreate()


@dataclass
class Outcome:
    """The outcome of one question."""

    question: Question
    rows: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    same: str = "-"


def results(question: Question, contender: str) -> str:
    """Return the path of a contender's rows."""
    return str(BUILD / question.name / contender.lower().replace(" ", "_"))


def use(spark: SparkSession, contender: str) -> None:
    """Run the next queries with Muntin, or with Spark's own operator."""
    spark.conf.set("spark.muntin.over.enabled", str(contender == MUNTIN).lower())


def plan_of(frame: DataFrame) -> str:
    """Return the output of EXPLAIN."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        frame.explain()
    return text.getvalue()


def run(spark: SparkSession, question: Question, contender: str) -> None:
    """Run a question from Parquet to Parquet."""
    use(spark, contender)
    query = question.query
    if contender == STOCK and question.stock_query is not None:
        query = question.stock_query
    frame = query(spark)
    if (contender == MUNTIN) != ("Muntin" in plan_of(frame)):
        sys.exit(f"{contender} would not run this query; `python -m muntin doctor` shows why.")
    frame.write.mode("overwrite").parquet(results(question, contender))


def ask(spark: SparkSession, question: Question) -> Outcome:
    """Run a question with each contender and compare the results."""
    outcome = Outcome(question)
    print(f"\n{question.title}")
    contenders = (STOCK, MUNTIN) if question.stock else (MUNTIN,)
    for contender in contenders * 2:
        best = outcome.seconds.get(contender, math.inf)
        if SHORT <= best < math.inf:
            continue
        with Progress(f"  {contender:<12}") as progress:
            run(spark, question, contender)
        outcome.seconds[contender] = min(best, progress.seconds)
    use(spark, STOCK)
    muntin = spark.read.parquet(results(question, MUNTIN))
    outcome.rows = muntin.count()
    if question.stock:
        stock = spark.read.parquet(results(question, STOCK))
        with Progress("  same rows?  "):
            outcome.same = compare(stock, muntin, question.key, question.floating)
    return outcome


def line(outcome: Outcome) -> tuple[str, ...]:
    """Return a row of the table."""
    stock, muntin = outcome.seconds.get(STOCK), outcome.seconds[MUNTIN]
    return (
        outcome.question.title,
        f"{outcome.rows:,}",
        f"{stock:.2f} s" if stock else "not run *",
        f"{muntin:.2f} s",
        f"{stock / muntin:.1f} x" if stock else "-",
        outcome.same,
    )


def show(outcomes: list[Outcome]) -> None:
    """Print the table."""
    head = ("question", "rows", STOCK, MUNTIN, "ratio", "same result")
    rows = [head, *(line(o) for o in outcomes)]
    widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
    for n, row in enumerate(rows):
        first, *middle, last = (
            cell.ljust(w) if i in (0, len(head) - 1) else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *middle, last]).rstrip())
        if n == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))


def main() -> int:
    """Run the demo; return 1 if a result differs."""
    began = time.perf_counter()
    with Progress("writing the data to Parquet"):
        data.write(BUILD)
    with Progress("starting Spark"):
        spark = session()
    print(data.read(spark, BUILD))
    with Progress("warming up: the first question, with each, untimed"):
        run(spark, TEMPERATURE, STOCK)
        run(spark, TEMPERATURE, MUNTIN)

    outcomes = [ask(spark, question) for question in QUESTIONS]

    print("\nfrom Parquet to Parquet, in one session; the better of two runs if they are short:\n")
    show(outcomes)
    print(f"\n{NOTES}")
    picture = BUILD / "temperature.png"
    temperature = spark.read.parquet(results(TEMPERATURE, MUNTIN))
    chart.draw(temperature, "JFK", "2013-01-14", "2013-02-18", picture)
    planes = BUILD / "planes.png"
    most = chart.draw_planes(
        spark.read.parquet(results(IN_THE_AIR, MUNTIN)), "2013-07-08", "2013-07-15", planes
    )
    print(f"\nplanes in the air, {most}")
    print(f"charts: {picture}\n        {planes}")
    print(f"the questions: {Path(__file__).with_name('newyork') / 'questions.py'}")
    print("\nthe year again, as a stream, month by month:\n")
    streamed = replay.replay(spark, BUILD)
    spark.stop()
    print(f"{time.perf_counter() - began:.0f} s in all")
    return 1 if any(o.same.startswith("NO") for o in outcomes) or not streamed else 0


if __name__ == "__main__":
    sys.exit(main())
