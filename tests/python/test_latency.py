"""The benchmark of the latency, and the example of real-time mode.

`make test-kafka` runs those that need a broker.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installed import ROOT

from benchmarks.latency import chapter, contender
from benchmarks.latency.chapter import Found, percentile
from benchmarks.latency.turn import Load, Turn

pytestmark = pytest.mark.once

Test = Callable[..., Any]

LOAD = Load(rates=(100,), warm=1, measured=2, backlog=1_000)
QUERIES = {c.name: c for c in contender.contenders()}


def over_kafka(test: Test) -> Test:
    for mark in (pytest.mark.kafka, pytest.mark.streams, pytest.mark.packaging):
        test = mark(test)
    return test


def turn(latencies: dict[int, int], cpu_seconds: float = 1.0, *, wrong: int = 0) -> Turn:
    counts = Counter(latencies)
    return Turn([counts], rows=60_000, seconds=2.0, cpu_seconds=cpu_seconds, wrong=wrong)


def lines(ours: Turn, theirs: Turn) -> list[str]:
    found = [Found(QUERIES["over-range"], [ours]), Found(QUERIES["dedup"], [theirs])]
    return chapter.written(found, LOAD, 1)


def test_percentiles() -> None:
    latencies = Counter({10: 98, 30: 1, 200: 1})
    shares = (0.5, 0.98, 0.99, 0.999)
    assert [percentile(latencies, share) for share in shares] == [10, 10, 30, 200]
    assert percentile(Counter({7: 1}), 0.5) == 7


def test_limits_that_are_reached() -> None:
    text = lines(turn({10: 100, 21: 1}), turn({10: 100, 20: 1}))
    limits = [line for line in text if line.endswith((" yes |", " **no** |"))]
    assert [line.split("|")[3].split()[0] for line in limits] == ["1.00", "1.00", "10", "60,000"]
    assert all(line.endswith("yes |") for line in limits)
    assert "All results are right; 202 were measured." in text


def test_limits_that_are_not_reached() -> None:
    text = lines(turn({30: 97, 200: 3}, 2.0, wrong=4), turn({20: 97, 100: 3}))
    limits = [line for line in text if line.endswith((" yes |", " **no** |"))]
    assert [line.split("|")[3].split()[0] for line in limits] == ["1.50", "2.00", "30", "30,000"]
    assert all(line.endswith("**no** |") for line in limits)
    assert f"- {QUERIES['over-range'].line}: 0 rows without a result, 4 wrong results" in text


def test_the_latencies_of_turns_count_together() -> None:
    both = Found(QUERIES["dedup"], [turn({10: 1}), turn({10: 1, 12: 2}, 0.5)])
    assert both.latencies(0) == {10: 2, 12: 2}
    assert both.rows_per_cpu_second == 120_000


@over_kafka
@pytest.mark.parametrize("name", ["over-range", "over-rows", "dedup", "group-by"])
def test_a_turn(name: str) -> None:
    options = "--rates 200 --warm 1 --measured 3 --backlog 2000 --keys 20 --batch 5 --quick"
    command = [sys.executable, "-m", "benchmarks.latency", *options.split(), "--queries", name]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=400
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All results are right; 600 were measured." in done.stdout


@over_kafka
def test_the_example(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples/realtime.py"), "--port", "0"]
    log = tmp_path / "log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*command, "--rate", "100", "--seconds", "20"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert process.stdout is not None
        began = next(line for line in process.stdout if line.startswith("Watch it at "))
        page = began.split()[3].rstrip(";")
        with urllib.request.urlopen(page) as opened:
            assert "Card payments in real time" in opened.read().decode()
        state: dict[str, int] = {"found": 0, "alerts": 0}
        while state["found"] < 200 or not state["alerts"]:
            assert process.poll() is None, log.read_text()
            with urllib.request.urlopen(f"{page}/state") as opened:
                state = json.load(opened)
        output = process.communicate(timeout=120)[0]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, log.read_text()
    sent, found = (int(output.split(" ")[n].replace(",", "")) for n in (0, 3))
    assert 0 < found <= sent
