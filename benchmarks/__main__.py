"""`python -m benchmarks [--quick] [--only PART ...]`: time all contenders, write RESULTS.md.

The long parts (asof, split, horizons, exchange, parts, tables, wide, streams, tiny, soak, history,
restart, latency, pandas, python, rollfun, refresh) run only if they are named. If only chapters are
named, their results replace these chapters in RESULTS.md, and the other chapters do not change.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks import grid
from benchmarks.session import CORES, PARTITIONS

os.environ["POLARS_MAX_THREADS"] = str(CORES)  # read when polars is imported

from benchmarks import (
    agreement,
    asof,
    exchange,
    horizons,
    kernels,
    machine,
    memory,
    pandas_on_spark,
    parts,
    python_aggregates,
    refresh,
    report,
    rollfun,
    split,
    tables,
)
from benchmarks.contender_duckdb import DuckDB
from benchmarks.contender_polars import Polars
from benchmarks.contender_spark import Floor, Muntin, SegmentTree, Spark, WholePartition
from benchmarks.data import BUILD
from benchmarks.groups import chapter, questions
from benchmarks.groups.question import Question
from benchmarks.harm import chapter as harm
from benchmarks.harm import planning, small
from benchmarks.latency import chapter as latency
from benchmarks.latency import turn
from benchmarks.runner import Patience, measure
from benchmarks.session import session
from benchmarks.streams import chapter as streams
from benchmarks.streams import history, restart, soak, tiny
from benchmarks.streams.questions import all_questions as questions_of_streams

RESULTS = Path(__file__).with_name("RESULTS.md")
GRID = "grid"
GROUPS, ASOF, HARM, PLANNING, SMALL, MEMORY, KERNELS = (
    "groups",
    "asof",
    "harm",
    "planning",
    "small",
    "memory",
    "kernels",
)
SPLIT, HORIZONS, EXCHANGE, PARTS, TABLES, WIDE, STREAMS, TINY, SOAK, HISTORY, RESTART = (
    "split",
    "horizons",
    "exchange",
    "parts",
    "tables",
    "wide",
    "streams",
    "tiny",
    "soak",
    "history",
    "restart",
)
LATENCY, PANDAS, PYTHON, ROLLFUN, REFRESH = (
    "latency",
    "pandas",
    "python",
    "rollfun",
    "refresh",
)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    known = [GRID, *grid.parts(grid.full()), *CHAPTERS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="fewer rows, widths and rounds")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=known,
        default=None,
        metavar="PART",
        help=f"of {', '.join(known)}; {GRID} is the grid's parts together; "
        f"{', '.join(APART)} only where they are named",
    )
    parser.add_argument("--rows", type=int, default=None, help="how many rows, instead of 4M (20M)")
    parser.add_argument("--without-muntin", action="store_true", help="time the others alone")
    return parser.parse_args()


def times(options: argparse.Namespace, series: list[grid.Series]) -> tuple[list[str], bool]:
    """Time the series; return their chapter of the report, and whether the rows agree."""
    patience = Patience(rounds=2, rival_rounds=1) if options.quick else Patience()
    for s in series:
        s.data.make()
    spark = session()

    def made(contender: type[Spark]) -> Spark:
        return contender(spark, splits_one_key=True)

    bases = {b.name: b for b in (made(Floor), made(WholePartition))}
    stock, muntin = made(Spark), Muntin(spark, splits_one_key=True)
    rivals = [stock, made(SegmentTree), DuckDB(CORES), Polars()]
    compared = rivals if options.without_muntin else [*rivals, muntin]
    if not options.without_muntin:
        for s in series:
            muntin.require(s.job(s.widths[0]))
    say(f"do {', '.join(c.name for c in compared)} compute the same rows?")
    wrong = list(agreement.check(series, compared))
    for line in wrong:
        say(f"  {line}")
    timings = measure(
        series, bases, None if options.without_muntin else muntin, rivals, patience, say
    )
    spark.stop()

    results = report.Results(series, timings)
    names = [muntin.name, *(r.name for r in rivals)]
    bars = results.bars()
    lines = [
        "",
        report.REACHED,
        "",
        *report.table(["", "limit", "worst seen", "reached"], [b.line for b in bars]),
        "",
        report.SECONDS,
        "",
        f"{series[0].data.rows:,} rows in random order, from Parquet, on {CORES} threads. "
        "Spark's sink is noop; DuckDB and Polars return results to memory. The floor is stock "
        "Spark's row_number() over the same PARTITION BY, ORDER BY and columns. Jobs with one key "
        "run with adaptive execution, Spark's default, so that Muntin may split the key; jobs with "
        f"many keys run without, so that all contenders have {PARTITIONS} partitions. Best of "
        f"at most {patience.rounds} rounds ({grid.FEWER} for merged and moving jobs). "
        "Every contender runs once per round: Muntin and the floor until, after "
        f"{patience.least} rounds, the best time is below {patience.clear} of the limit; the "
        f"others {patience.rival_rounds} rounds, or one round if they take "
        f"{patience.clear_rival} times as long as Muntin. A RANGE of width W contains about W "
        "rows. If stock Spark would take minutes, it ran once, on a tenth of the keys (for 1/10), "
        "or not at all. An empty cell was not measured. ! marks a missed limit. A frame wider than "
        "rows / keys contains a whole partition. The base for sketches is their cost in "
        "stock Spark over the same spec with each key as one frame (whole partition).",
        *(line for s in series for line in report.series_table(results, s, names)),
    ]
    if wrong:
        lines += ["", "## Rows that differ", "", *(f"- {w}" for w in wrong)]
    else:
        lines += ["", f"All return equal rows (on {agreement.ROWS:,}, at two widths each)."]
    return lines, not wrong


def short_streams(options: argparse.Namespace) -> list[str]:
    """Return the chapter of the streams, without the long questions, in two minutes."""
    data = streams.SHORT if options.rows is None else replace(streams.SHORT, rows=options.rows)
    rivals = streams.Rivals(stock=not options.quick, plain=False)
    return streams.chapter(data, questions_of_streams(), rivals, say)


# The chapters in addition to the grid: the title, and the function that computes the chapter. The
# chapters in APART run only if they are named.
CHAPTERS: dict[str, tuple[str, Callable[[argparse.Namespace], list[str]]]] = {
    GROUPS: (chapter.TITLE, lambda options: chapter.chapter(asked_of_groups(options), say)),
    ASOF: (asof.TITLE, lambda options: asof.chapter(options.rows, 1 if options.quick else 12, say)),
    HARM: (harm.TITLE, lambda options: harm.chapter(2 if options.quick else 5, say)),
    PLANNING: (
        planning.TITLE,
        lambda options: planning.chapter(1 if options.quick else 3, say),
    ),
    SMALL: (small.TITLE, lambda options: small.chapter(20 if options.quick else 200, say)),
    MEMORY: (
        memory.TITLE,
        lambda options: memory.chapter(options.rows, not options.without_muntin, say),
    ),
    KERNELS: (kernels.TITLE, lambda _: kernels.chapter(say)),
    SPLIT: (split.TITLE, lambda options: split.chapter(options.rows, say)),
    HORIZONS: (
        horizons.TITLE,
        lambda options: horizons.chapter(options.rows, 2 if options.quick else 6, say),
    ),
    EXCHANGE: (
        exchange.TITLE,
        lambda options: exchange.chapter(options.rows, 2 if options.quick else 6, say),
    ),
    PARTS: (parts.TITLE, lambda options: parts.chapter(options.rows, say)),
    TABLES: (tables.TITLE, lambda options: tables.chapter(options.rows, say)),
    WIDE: (memory.WIDE_TITLE, lambda options: memory.wide_chapter(options.rows, say)),
    STREAMS: (streams.TITLE, short_streams),
    TINY: (tiny.TITLE, lambda options: tiny.chapter(1 if options.quick else tiny.ROUNDS, say)),
    SOAK: (
        soak.TITLE,
        lambda options: soak.chapter(soak.KEYS // (10 if options.quick else 1), say),
    ),
    HISTORY: (
        history.TITLE,
        lambda options: history.chapter(200_000 if options.quick else 12_000_000, say),
    ),
    RESTART: (
        restart.TITLE,
        lambda options: restart.chapter(restart.GROUPS // (10 if options.quick else 1), say),
    ),
    LATENCY: (
        latency.TITLE,
        lambda options: latency.chapter(turn.QUICK if options.quick else turn.Load(), say),
    ),
    PANDAS: (
        pandas_on_spark.TITLE,
        lambda options: pandas_on_spark.chapter(options.rows, 1 if options.quick else 3, say),
    ),
    PYTHON: (
        python_aggregates.TITLE,
        lambda options: python_aggregates.chapter(options.rows, 1 if options.quick else 3, say),
    ),
    ROLLFUN: (
        rollfun.TITLE,
        lambda options: rollfun.chapter(options.rows, 1 if options.quick else 2, say),
    ),
    REFRESH: (
        refresh.TITLE,
        lambda options: refresh.chapter(2_000_000 if options.quick else refresh.ROWS, say),
    ),
}
APART = (
    ASOF,
    SPLIT,
    HORIZONS,
    EXCHANGE,
    PARTS,
    TABLES,
    WIDE,
    STREAMS,
    TINY,
    SOAK,
    HISTORY,
    RESTART,
    LATENCY,
    PANDAS,
    PYTHON,
    ROLLFUN,
    REFRESH,
)


def asked_of_groups(options: argparse.Namespace) -> list[Question]:
    """Return the questions about windows of groups."""
    rows = {} if options.rows is None else {"rows": options.rows}
    return (questions.quick if options.quick else questions.full)(**rows)


def only_chapters(options: argparse.Namespace) -> int:
    """Time only the named chapters, and replace them in the existing report."""

    def put(title: str, lines: list[str]) -> None:
        if options.quick or options.rows or options.without_muntin or not RESULTS.exists():
            say("\n".join(lines))
        else:
            RESULTS.write_text(report.with_chapter(RESULTS.read_text(), title, lines))
            say("\n".join([*lines, "", f"written to {RESULTS}"]))

    agree = True
    if GRID in options.only:
        lines, agree = times(options, whole_grid(options))
        titles = (report.REACHED, report.SECONDS)
        # All chapters are dated before the first is written, because writing changes the commit.
        chapters = [machine.dated(report.chapter_of("\n".join(lines), t)) for t in titles]
        for title, chapter in zip(titles, chapters, strict=True):
            put(title, chapter)
    for part, (title, chapter_of) in CHAPTERS.items():
        if part in options.only:
            put(title, machine.dated(chapter_of(options)))
    return 0 if agree else 1


def whole_grid(options: argparse.Namespace) -> list[grid.Series]:
    """Return the series of the grid, with the requested number of rows."""
    rows = {} if options.rows is None else {"rows": options.rows}
    return (grid.quick if options.quick else grid.full)(**rows)


def say(line: str) -> None:
    """Print the progress."""
    print(line, flush=True)


def main() -> int:
    """Run the requested parts and write the report; return 1 if rows differ."""
    options = arguments()
    if options.only and set(options.only) <= {GRID, *CHAPTERS}:
        return only_chapters(options)
    began = time.perf_counter()
    lines = [
        "# Benchmarks",
        "",
        f"`{' '.join(['python -m benchmarks', *sys.argv[1:]])}`",
        "",
        *report.table(["", ""], machine.describe()),
    ]
    series = whole_grid(options)
    if options.only and GRID not in options.only:
        series = [s for s in series if s.part in options.only]
    agree = True
    if series:
        timed, agree = times(options, series)
        lines += timed
    wanted = options.only or (
        [GROUPS] if options.quick else [GROUPS, HARM, PLANNING, SMALL, MEMORY, KERNELS]
    )
    if options.without_muntin:
        wanted = [part for part in wanted if part in (MEMORY, KERNELS)]
    partial = options.quick or options.only or options.rows or options.without_muntin
    for part, (title, chapter_of) in CHAPTERS.items():
        if part in wanted:
            lines += chapter_of(options)
            # Keep the finished chapters if a later chapter fails.
            BUILD.mkdir(parents=True, exist_ok=True)
            (BUILD / "RESULTS.md").write_text("\n".join(lines) + "\n")
        elif not partial and RESULTS.exists():
            lines += report.chapter_of(RESULTS.read_text(), title)
    lines += ["", f"{(time.perf_counter() - began) / 60:.1f} minutes in all."]

    text = "\n".join(lines) + "\n"
    path = BUILD / "RESULTS.md" if partial else RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(f"\n{text}\nwritten to {path}")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
