"""`python -m benchmarks.charts`: draws RESULTS.md into docs/images/."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import reader
from benchmarks.charts import groups, horizons, kernels, streams, widths
from benchmarks.data import ROOT

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
IMAGES = ROOT / "docs" / "images"
CHARTS = (widths.CHART, kernels.CHART, groups.CHART, horizons.CHART, streams.CHART)


def main() -> None:
    """Draw the chapters of the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.charts")
    parser.add_argument("--report", type=Path, default=RESULTS, help="instead of RESULTS.md")
    parser.add_argument("--into", type=Path, default=IMAGES, help="instead of docs/images")
    parser.add_argument("--png", action="store_true", help="as PNG, to look at")
    options = parser.parse_args()
    report = reader.read(options.report.read_text())
    for chart in CHARTS:
        print(chart.write(report, options.into, "png" if options.png else "svg"))


if __name__ == "__main__":
    main()
