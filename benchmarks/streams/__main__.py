"""`python -m benchmarks.streams`: prints the chapter of the windows on streams."""

from __future__ import annotations

import argparse

from benchmarks import report
from benchmarks.session import session
from benchmarks.streams import contenders, questions
from benchmarks.streams.contenders import Run
from benchmarks.streams.data import Readings

ROWS, KEYS, FILES = 10_000_000, 10_000, 10


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams")
    parser.add_argument("--like", default="", help="a part of the titles of what is to be run")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--keys", type=int, default=KEYS)
    parser.add_argument("--files", type=int, default=FILES, help="how many micro-batches")
    parser.add_argument("--flink", action="store_true", help="Flink, too")
    parser.add_argument("--alone", action="store_true", help="Muntin alone")
    options = parser.parse_args()
    data = Readings(options.rows, options.keys, options.files)
    data.make()
    asked = [q for q in questions.all_questions() if options.like in q.title]
    lines: list[list[str]] = []

    def say(title: str, who: str, run: Run, ours: Run | None = None) -> None:
        ratio = "" if ours is None else f"{ours.seconds / run.seconds:.2f}"
        per_row = "" if not run.rows else f"{run.bytes / run.rows:.1f}"
        lines.append([title, who, f"{run.seconds:.1f}", f"{run.rows:,}", per_row, ratio])
        print(f"{title:<32}{who:<45}{run.seconds:7.1f} s", flush=True)

    if options.flink:
        contenders.make_flink()
        data.make(as_text=True)
    spark = session(
        **{
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.streaming.stateStore.providerClass": (
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
            ),
            "spark.sql.session.timeZone": "UTC",
        }
    )
    rows = contenders.stream(spark, data)
    rows.createOrReplaceTempView("r")
    if not options.alone:
        say("reading alone", "Spark", contenders.run(spark.sql("SELECT * FROM r")))
    for question in asked:
        ours = contenders.run(spark.sql(question.muntin))
        say(question.title, "Muntin", ours)
        if options.alone:
            continue
        for who, sql in question.stock.items():
            frame = spark.sql(sql) if sql else rows.dropDuplicatesWithinWatermark(["k", "t"])
            say(question.title, who, contenders.run(frame), ours)
        if question.plain is not None:
            who = "transformWithState, a list of rows"
            say(question.title, who, contenders.plain(spark, rows, question.plain), ours)
        if question.flink is not None and options.flink:
            for backend in ("hashmap", "rocksdb"):
                run = contenders.flink(data, question.flink, backend)
                say(question.title, f"Flink, {backend}", run, ours)
    spark.stop()
    head = ["", "who", "seconds", "rows in the state", "bytes per row", "Muntin / it"]
    print("\n".join(report.table(head, lines)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
