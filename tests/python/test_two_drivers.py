"""Two drivers with one checkpoint: one of them fails, and no row is lost or repeated."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from micro_batches import LAST, Files, exact, over_files
from pyspark.sql import SparkSession
from restarted import sums

pytestmark = [pytest.mark.packaging, pytest.mark.streams, pytest.mark.sampled(4)]

PROGRAM = Path(__file__).with_name("two_drivers.py")


def start(source: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    program = [sys.executable, str(PROGRAM), str(source), str(out), *more]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process


def test_the_second_driver_fails(spark: SparkSession, tmp_path: Path) -> None:
    files, out = Files(tmp_path / "source"), tmp_path / "out"
    count = late = 0

    def add() -> None:
        nonlocal count, late
        rows = [(f"k{count % 3}", 10 * count + s, 100 * count + s, 0.1 * s) for s in range(5)]
        if count % 3 == 2:
            # The watermark of an earlier micro-batch is above this row.
            rows.append(("late", -100000, -count, 1.0))
            late += 1
        files.add(rows)
        count += 1

    add()
    drivers = [start(files.folder, out)]
    try:
        assert drivers[0].stdout is not None
        assert drivers[0].stdout.readline() == "running\n"
        drivers.append(start(files.folder, out))
        deadline = time.monotonic() + 120
        while all(driver.poll() is None for driver in drivers) and time.monotonic() < deadline:
            add()
            time.sleep(0.3)
        failed = [driver for driver in drivers if driver.poll() is not None]
        assert len(failed) == 1
        assert failed[0].stdout is not None
        said = failed[0].stdout.read()
        assert "Multiple streaming jobs detected" in said, said
    finally:
        for driver in drivers:
            driver.kill()
            driver.communicate()
    add()
    files.add([LAST])
    assert start(files.folder, out, "--to-the-end").wait(timeout=300) == 0
    found = exact(spark.read.parquet(str(out / "rows")))
    expected = [row for row in over_files(spark, files, sums) if row[0] != "late"]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    dropped = [
        json.loads(line)["i"]
        for file in out.glob("late/**/*.json")
        for line in file.read_text().splitlines()
    ]
    assert len(dropped) == len(set(dropped)) == late
