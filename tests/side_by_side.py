"""Runs two commands at a time: the first one's output as it comes, then the second one's.

What has failed is said once more at the end: a CI may keep no more than the end of its log.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile

# sbt's, ScalaTest's and pytest's marks of a failure.
MARKS = ("[error]", "*** FAILED ***", "*** ABORTED ***", "FAILED ", "ERROR ", "Error: ")


def is_failure(line: str) -> bool:
    """Whether a line of a log says that something has failed."""
    return any(mark in line for mark in MARKS)


def failures(log: list[str], most: int = 60) -> list[str]:
    """Give the log's lines that say what has failed, or its end where no line does."""
    return [line for line in log if is_failure(line)][:most] or log[-most:]


def main(first: str, second: str) -> int:
    """Run both, and give 1 if one of them has failed."""
    log: list[str] = []
    failed: list[tuple[str, list[str]]] = []
    with tempfile.TemporaryFile("w+", errors="replace") as kept:
        beside = subprocess.Popen(second, shell=True, stdout=kept, stderr=subprocess.STDOUT)
        try:
            before = subprocess.Popen(
                first,
                shell=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
            assert before.stdout is not None
            for line in before.stdout:
                print(line, end="", flush=True)
                log.append(line)
            if before.wait():
                failed.append((first, log))
            code = beside.wait()
        finally:
            beside.kill()
        kept.seek(0)
        log_beside = kept.readlines()
        print("".join(log_beside), end="", flush=True)
        if code:
            failed.append((second, log_beside))
    for command, lines in failed:
        print("".join(["\n", *failures(lines)]), end="")
        print(f"failed: {command}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
