"""The process of a stream is killed repeatedly: no row is lost or repeated."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from micro_batches import LAST, Files, Reading, exact, over_files
from pyspark.sql import SparkSession
from restarted import QUERIES
from selection import SEED

pytestmark = [pytest.mark.packaging, pytest.mark.streams]

PROGRAM = Path(__file__).with_name("restarted.py")


class Source:
    """Rows of a few keys, out of order by less than the watermark, with ties across files."""

    def __init__(self, files: Files, seed: int) -> None:
        self._files = files
        self._random = random.Random(seed)
        self._now = 0
        self.count = 0
        self.files = 0

    def add(self) -> None:
        """Write the next file."""
        self.files += 1
        self._now += self._random.choice([0, 5, 20])
        rows: list[Reading] = []
        for _ in range(self._random.randrange(40)):
            x = self._random.gauss(0, 1) * 10.0 ** self._random.randrange(-8, 9)
            value = None if self._random.random() < 0.1 else x
            at = self._now + self._random.randrange(-25, 25)
            rows.append((f"k{self._random.randrange(3)}", at, self.count, value))
            self.count += 1
        self._files.add(rows)


def start(source: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    program = [sys.executable, str(PROGRAM), str(source), str(out), *more]
    return subprocess.Popen(program, stdout=subprocess.PIPE, text=True, start_new_session=True)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill Python and its JVM, which share a process group."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_no_row_is_lost_or_repeated(
    spark: SparkSession, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    kills = pytestconfig.getoption("--kills")
    print(f"{kills} kills, MUNTIN_SEED={SEED}")
    moment = random.Random(SEED)
    files = Files(tmp_path / "source")
    source = Source(files, SEED)
    out = tmp_path / "out"

    def done() -> int:
        """Return the number of finished micro-batches of all queries."""
        return len(list(out.glob("*_checkpoint/commits/[0-9]*")))

    commits = [0]
    for _ in range(kills):
        process = start(files.folder, out)
        source.add()
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        # After a few micro-batches, or in the first, at any point of a micro-batch.
        until = done() + moment.choice([0, 1, 3, 8])
        while done() < until and process.poll() is None:
            if source.files < done() / len(QUERIES) + 5:
                source.add()
            time.sleep(0.1)
        time.sleep(moment.uniform(0, 2))
        assert process.poll() is None
        kill(process)
        commits.append(done())
    print(f"{source.count} rows; micro-batches done at each kill: {commits[1:]}")
    files.add([LAST])
    process = start(files.folder, out, "--to-the-end")
    try:
        assert process.wait(timeout=600) == 0
    finally:
        if process.poll() is None:
            kill(process)
    for name, query in QUERIES.items():
        found = exact(spark.read.parquet(str(out / name)))
        assert len(found) == source.count, name
        assert found == over_files(spark, files, query), name
