"""Nanoseconds per row of the kernels and of an aggregator, by JMH: see benchmarks/kernels."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import muntin as mt

from benchmarks import report
from benchmarks.data import BUILD, ROOT

JGO = ROOT / ".venv" / "bin" / "jgo"
SBT = "org.scala-sbt:sbt-launch:1.13.0"

JAR = (
    ROOT / "benchmarks" / "kernels" / "target" / "scala-2.13" / f"kernels_2.13-{mt.__version__}.jar"
)

# One fork and short iterations are precise enough to compare widths.
OPTIONS = "-f 1 -wi 2 -w 500ms -i 3 -r 200ms -foe true"

TITLE = "## Kernels"


def chapter(say: Callable[[str], None]) -> list[str]:
    """Run JMH and return the chapter of the report."""
    say("kernels: sbt and JMH")
    file = BUILD / "kernels.json"
    file.unlink(missing_ok=True)
    _sbt(f"kernels/Jmh/run {OPTIONS} -rf json -rff {file}")
    return ["", TITLE, "", *_table(json.loads(file.read_text()))]


def jar() -> str:
    """Return the jar with the aggregator `spread`, built if necessary."""
    if not JAR.exists():
        _sbt("kernels/package")
    return str(JAR)


def _sbt(task: str) -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    java = f"{os.environ.get('JAVA_OPTS', '')} -Xmx2g".strip()
    with (BUILD / "kernels.log").open("w") as log:
        subprocess.run(
            [str(JGO), SBT, task],
            cwd=ROOT,
            env={**os.environ, "JAVA_OPTS": java},
            stdout=log,
            stderr=subprocess.STDOUT,
            check=True,
        )


def _table(runs: list[dict[str, Any]]) -> list[str]:
    scores: dict[str, dict[int, float]] = {}
    for run in runs:
        # Other benchmarks compare two ways to store rows, for developers.
        if "width" not in run["params"]:
            continue
        name = run["benchmark"].split(".")[-2]
        width = int(run["params"]["width"])
        scores.setdefault(name, {})[width] = run["primaryMetric"]["score"]
    widths = sorted({w for by_width in scores.values() for w in by_width})
    lines = [
        [name, *(f"{by_width[w]:.1f}" if w in by_width else "" for w in widths)]
        for name, by_width in scores.items()
    ]
    return [
        "ns per row (append to the columns, move the frame, read the result), by the frame's "
        "width, without Spark: ROWS preceding, one thread, JMH.",
        "",
        *report.table(["kernel", *(f"{w:,}" for w in widths)], lines),
    ]
