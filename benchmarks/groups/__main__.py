"""`python -m benchmarks.groups`: measures the windows of groups, and prints their chapter."""

from __future__ import annotations

import argparse
import os

from benchmarks.session import CORES

os.environ["POLARS_MAX_THREADS"] = str(CORES)  # read when polars is imported

from benchmarks.groups import chapter, questions


def main() -> int:
    """Run the requested questions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.groups")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--like", default="", help="a part of the titles of the questions to run")
    options = parser.parse_args()
    asked = (questions.quick if options.quick else questions.full)()
    asked = [q for q in asked if options.like in q.title]
    print("\n".join(chapter.chapter(asked, lambda line: print(line, flush=True))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
