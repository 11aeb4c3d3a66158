"""Two processes, one with Muntin's jar and one without, which receive requests in turn."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import muntin as mt

from benchmarks.data import ROOT

Side = TypeVar("Side")


@dataclass(frozen=True)
class Worker:
    """One of the processes; `started` is the number of seconds that its session took to start."""

    process: subprocess.Popen[str]
    started: float

    def ask(self, what: str, text: str) -> dict[str, Any]:
        """Send a request to create, plan, show or run a statement, and return the response."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({what: text}) + "\n")
        self.process.stdin.flush()
        return _answer(self.process)

    def seconds(self, what: str, text: str) -> float:
        """Send a request to plan or run a query, and return the seconds."""
        answer = self.ask(what, text)
        assert "error" not in answer, answer
        seconds: float = answer["seconds"]
        return seconds


@dataclass(frozen=True)
class Pair:
    """Both processes."""

    stock: Worker
    jar: Worker

    def make(self, statement: str) -> None:
        """Run a statement, such as CREATE TABLE, in both."""
        for worker in (self.stock, self.jar):
            answer = worker.ask("make", statement)
            assert "error" not in answer, answer

    def in_turn(self, stock: Side, jar: Side, round_: int) -> list[tuple[Worker, Side]]:
        """Yield both workers with their queries; the first alternates."""
        order = [(self.stock, stock), (self.jar, jar)]
        return order if round_ % 2 == 0 else order[::-1]

    def times(
        self, what: str, stock: str, jar: str, rounds: int
    ) -> tuple[list[float], list[float]]:
        """Let both plan or run their queries in turn; return the seconds of every round."""
        of_stock: list[float] = []
        of_jar: list[float] = []
        for round_ in range(rounds):
            for worker, (text, seconds) in self.in_turn((stock, of_stock), (jar, of_jar), round_):
                seconds.append(worker.seconds(what, text))
        return of_stock, of_jar


@contextmanager
def pair() -> Iterator[Pair]:
    """Start both one after the other, and end them."""
    with tempfile.TemporaryDirectory() as folder:
        processes: list[subprocess.Popen[str]] = []
        try:
            workers = []
            for name, more in (("stock", []), ("jar", [mt.jar()])):
                command = [sys.executable, "-m", "benchmarks.harm.worker", f"{folder}/{name}"]
                process = subprocess.Popen(
                    [*command, *more],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    cwd=ROOT,
                )
                processes.append(process)
                workers.append(Worker(process, _answer(process)["seconds"]))
            yield Pair(*workers)
        finally:
            for process in processes:
                assert process.stdin is not None
                process.stdin.close()
                process.wait(60)


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("{"):  # other lines are Spark's log
            answer: dict[str, Any] = json.loads(line)
            return answer
    raise RuntimeError("a session has ended; run its command by hand to see why")
