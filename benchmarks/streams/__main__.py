"""`python -m benchmarks.streams`: prints the chapter of the windows on streams."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import report
from benchmarks.streams import chapter, questions
from benchmarks.streams.chapter import FULL, Rivals
from benchmarks.streams.data import Readings


def main() -> int:
    """Run the requested questions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams")
    parser.add_argument("--like", default="", help="a part of the titles of the questions to run")
    parser.add_argument("--rows", type=int, default=FULL.rows)
    parser.add_argument("--keys", type=int, default=FULL.keys)
    parser.add_argument("--files", type=int, default=FULL.files, help="how many micro-batches")
    parser.add_argument("--flink", action="store_true", help="Flink, too")
    parser.add_argument("--alone", action="store_true", help="Muntin alone")
    parser.add_argument("--write", type=Path, help="a report that receives this chapter")
    options = parser.parse_args()
    data = Readings(options.rows, options.keys, options.files)
    asked = [q for q in questions.all_questions() if options.like in q.title]
    others = not options.alone
    rivals = Rivals(stock=others, plain=others, flink=options.flink and others)
    lines = chapter.chapter(data, asked, rivals, lambda line: print(line, flush=True))
    print("\n".join(lines))
    if options.write:
        text = report.with_chapter(options.write.read_text(), chapter.TITLE, lines)
        options.write.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
