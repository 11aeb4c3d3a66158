"""A line with the running task and its duration."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Self


class Progress:
    """Shows the running task: a line that counts seconds, or in a log a line from time to time.

    After the block, `seconds` is its duration.
    """

    def __init__(self, what: str) -> None:
        self.seconds = 0.0
        self._what = what
        self._live = sys.stdout.isatty()
        self._done = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        self._began = time.perf_counter()
        if self._live:
            self._say("…")
        self._ticker.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds = time.perf_counter() - self._began
        self._done.set()
        self._ticker.join()
        self._say("failed\n" if kind else f"{self.seconds:.2f} s\n")

    def _tick(self) -> None:
        while not self._done.wait(1.0 if self._live else 15.0):
            elapsed = time.perf_counter() - self._began
            self._say(f"… {elapsed:.0f} s" if self._live else f"running for {elapsed:.0f} s\n")

    def _say(self, state: str) -> None:
        print(f"\r\x1b[K{self._what}  {state}" if self._live else f"{self._what}  {state}", end="")
        sys.stdout.flush()
