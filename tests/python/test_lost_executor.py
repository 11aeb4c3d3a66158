"""An executor is killed while frames of its tasks are on disk: all rows are correct."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import lost_executor
import muntin as mt
import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from selection import IS_LONG

pytestmark = pytest.mark.packaging

PROGRAM = Path(lost_executor.__file__)
EXECUTOR = "CoarseGrainedExecutorBackend"


def executors(group: int) -> list[int]:
    """Return the executors among the processes of a group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
                if EXECUTOR in command and os.getpgid(int(entry.name)) == group:
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended
    return found


def spills(executor: int) -> bool:
    """Return whether the process has an open file with spilled rows."""
    for file in Path(f"/proc/{executor}/fd").iterdir():
        try:
            if "temp_local" in str(file.readlink()):
                return True
        except OSError:
            continue  # the file has been closed
    return False


def killed_while_it_spills(executor: int) -> bool:
    """Kill an executor whose task has rows on disk. Another executor continues.

    The executor is stopped before the check, because a task that ends between the check and the
    kill would not be lost.
    """
    try:
        if not spills(executor):
            return False
        os.kill(executor, signal.SIGSTOP)
        spilling = spills(executor)
        os.kill(executor, signal.SIGKILL if spilling else signal.SIGCONT)
    except OSError:
        return False  # the executor has ended
    return spilling


@pytest.mark.skipif(not IS_LONG, reason="takes minutes; make test-long runs it")
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="processes are found in /proc")
def test_a_lost_executor_does_not_lose_rows(tmp_path: Path) -> None:
    out = tmp_path / "out"
    log = tmp_path / "log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(mt.jar()), str(out)],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n", log.read_text()
        is_killed = False
        deadline = time.monotonic() + 120
        while not is_killed and time.monotonic() < deadline and process.poll() is None:
            is_killed = any(killed_while_it_spills(e) for e in executors(process.pid))
            time.sleep(0.02)
        assert is_killed, log.read_text()
        assert process.wait(timeout=300) == 0, log.read_text()
        assert "ExecutorLostFailure" in log.read_text(), log.read_text()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    table = pq.read_table(out).sort_by("id")
    ids = table["id"].to_numpy()
    assert np.array_equal(ids, np.arange(lost_executor.ROWS))
    x = ids * 7919 % 100003
    for key in range(lost_executor.KEYS):
        of = slice(key, None, lost_executor.KEYS)
        sums = np.concatenate([[0], np.cumsum(x[of])])
        rows = np.arange(len(x[of])) + 1
        expected = sums[rows] - sums[np.maximum(rows - 250_001, 0)]
        assert np.array_equal(table["total"].to_numpy()[of], expected)
        some = np.arange(0, len(rows), 9_973)
        most = [x[of][max(0, r - 250_000) : r + 1].max() for r in some]
        assert np.array_equal(table["most"].to_numpy()[of][some], most)
