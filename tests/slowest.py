"""Prints the ten slowest Scala suites of the last run, from sbt's reports."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree


def main(root: Path) -> None:
    """Read the reports under ``root``, and print names and seconds."""
    suites = [
        (float(suite.get("time", "0")), suite.get("name", ""), int(suite.get("tests", "0")))
        for report in root.glob("jvm/**/test-reports/*.xml")
        for suite in [ElementTree.parse(report).getroot()]
    ]
    total = sum(seconds for seconds, _, _ in suites)
    print(f"{len(suites)} suites, {total:.0f} s, the slowest are:")
    for seconds, name, tests in sorted(suites, reverse=True)[:10]:
        print(f"{seconds:7.1f} s  {tests:4d} tests  {name.rsplit('.', 1)[-1]}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
