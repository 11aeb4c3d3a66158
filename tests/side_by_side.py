"""Runs commands side by side, as many at a time as given: the output of one behind the other's.

They begin in their order; the first one's output is seen as it comes, that of the others when
those before them have ended. What has failed is said once more at the end, and how long each took:
a CI may keep no more than the end of its log.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

# sbt's, ScalaTest's and pytest's marks of a failure.
MARKS = ("[error]", "*** FAILED ***", "*** ABORTED ***", "FAILED ", "ERROR ", "Error: ")


def is_failure(line: str) -> bool:
    """Whether a line of a log says that something has failed."""
    return any(mark in line for mark in MARKS)


def failures(log: list[str], most: int = 60) -> list[str]:
    """Return the log's lines about failures, or its end if there are none."""
    return [line for line in log if is_failure(line)][:most] or log[-most:]


@dataclass
class Run:
    """A command, and what has become of it."""

    command: str
    log: IO[str]
    process: subprocess.Popen[bytes] | None = None
    seconds: float = 0.0

    def __call__(self) -> int:
        start = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            shell=True,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        code = self.process.wait()
        self.seconds = time.monotonic() - start
        return code

    def kill(self) -> None:
        """End it, with all that it has started."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)


def main(at_a_time: int, commands: list[str]) -> int:
    """Run all, and give 1 if one of them has failed."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_a_time) as pool:
        logs = [Path(folder) / str(i) for i in range(len(commands))]
        runs = [
            Run(command, log.open("w", errors="replace"))
            for command, log in zip(commands, logs, strict=True)
        ]
        started = [pool.submit(run) for run in runs]
        try:
            for log, end in zip(logs, started, strict=True):
                with log.open(errors="replace") as shown:
                    ended = False
                    while not ended:
                        ended = end.done()
                        print(shown.read(), end="", flush=True)
                        time.sleep(0.2)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for run in runs:
                run.kill()
            raise
        failed = [
            (run.command, log.read_text(errors="replace").splitlines(keepends=True))
            for run, log, end in zip(runs, logs, started, strict=True)
            if end.result()
        ]
    for command, lines in failed:
        print("".join(["\n", *failures(lines)]), end="")
        print(f"failed: {command}", flush=True)
    print()
    for run in runs:
        print(f"{run.seconds:7.0f} s  {run.command}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
