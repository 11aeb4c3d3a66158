"""Runs commands in parallel, up to a given number at a time, and prints their outputs in order.

Commands start in their order. The output of the first is printed immediately, the output of each
other command after the earlier commands have ended. The failures, and the time of each command, are
printed again at the end, because a CI may keep only the end of its log.
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

# The marks of a failure in the outputs of sbt, ScalaTest and pytest.
MARKS = ("[error]", "*** FAILED ***", "*** ABORTED ***", "FAILED ", "ERROR ", "Error: ")


def is_failure(line: str) -> bool:
    """Return whether a line of a log reports a failure."""
    return any(mark in line for mark in MARKS)


def failures(log: list[str], most: int = 60) -> list[str]:
    """Return the lines of the log that report failures, or the end of the log without failures."""
    return [line for line in log if is_failure(line)][:most] or log[-most:]


@dataclass
class Run:
    """A command and its state."""

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
        """Kill the command and all processes that it has started."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)


def main(at_a_time: int, commands: list[str]) -> int:
    """Run all commands, and return 1 if one of them has failed."""
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
