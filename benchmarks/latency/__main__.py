"""`python -m benchmarks.latency`: prints the chapter, and writes it into RESULTS.md."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.latency import chapter, contender
from benchmarks.latency.turn import QUICK, Load

RESULTS = Path(__file__).parents[1] / "RESULTS.md"


def main() -> int:
    """Run the requested queries; return 1 if a result is wrong or missing."""
    load, names = Load(), [c.name for c in contender.contenders()]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK.rates[0]:,} rows/s, {QUICK.warm} s to warm up and {QUICK.measured} s "
        f"measured, {QUICK.backlog:,} rows of backlog, without Flink; RESULTS.md stays",
    )
    parser.add_argument("--rates", type=int, nargs="+", help=f"rows/s, by default {load.rates}")
    parser.add_argument("--warm", type=int, help=f"seconds before each rate, {load.warm}")
    parser.add_argument("--measured", type=int, help=f"seconds of each rate, {load.measured}")
    parser.add_argument("--backlog", type=int, help=f"rows; 0 for none, {load.backlog:,}")
    parser.add_argument("--partitions", type=int, help=f"of topics and shuffle, {load.partitions}")
    parser.add_argument("--keys", type=int, help=f"how many, {load.keys:,}")
    parser.add_argument("--batch", type=int, help=f"seconds of a batch, {load.batch}")
    parser.add_argument("--rounds", type=int, default=1, help="how many turns of each query")
    parser.add_argument(
        "--queries", nargs="+", choices=names, metavar="QUERY", help=", ".join(names)
    )
    parser.add_argument("--java", default="", help="more Java options for Spark")
    parser.add_argument("--write", type=Path, help="a report that receives this chapter")
    options = parser.parse_args()
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name in ("rates", "warm", "measured", "backlog", "partitions", "keys", "batch")
        if (value := getattr(options, name)) is not None
    }
    load = replace(QUICK if options.quick else load, **given)
    asked = [c for c in contender.contenders() if c.name in (options.queries or names)]
    if options.quick and not options.queries:
        asked = [c for c in asked if c.engine != contender.FLINK]
    found = chapter.measure(asked, load, options.rounds, options.java, say)
    lines = chapter.written(found, load, options.rounds)
    say("\n".join(lines))
    path = options.write or (None if options.quick else RESULTS)
    if path is not None:
        path.write_text(report.with_chapter(path.read_text(), chapter.TITLE, lines))
        say(f"\nwritten to {path}")
    return 0 if all(f.turns and all(t.is_right for t in f.turns) for f in found) else 1


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
