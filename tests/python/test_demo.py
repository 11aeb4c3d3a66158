"""Parts of the demo; `make demo` runs the whole demo."""

from __future__ import annotations

import importlib.util
import sys
from datetime import datetime, timedelta
from types import FrameType, ModuleType
from typing import Any

from installed import ROOT


def module(name: str) -> ModuleType:
    path = ROOT / "examples" / "newyork" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"demo_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


FIRST = datetime(2013, 1, 1)
FAR = datetime(2014, 1, 1)


def test_a_board_returns_the_values_at_a_time() -> None:
    board = module("board").Board()
    assert board.at(FAR) is None
    assert board.reached is None
    for hour in range(3):
        board.tell(FIRST + timedelta(hours=hour), (hour,))
    assert board.at(FIRST - timedelta(seconds=1)) is None
    assert board.at(FIRST) == (0,)
    assert board.at(FIRST + timedelta(minutes=61)) == (1,)
    assert board.at(FAR) == (2,)
    assert board.reached == FIRST + timedelta(hours=2)


def test_a_board_is_read_during_an_update() -> None:
    board = module("board").Board()
    read: list[tuple[int] | None] = []

    def reader(frame: FrameType, _event: str, _argument: object) -> Any:
        # Another thread may read before any line of this method.
        if frame.f_code.co_name == "tell":
            read.append(board.at(FAR))
            return reader
        return None

    before = sys.gettrace()
    sys.settrace(reader)
    try:
        for second in range(3):
            board.tell(FIRST + timedelta(seconds=second), (second,))
    finally:
        sys.settrace(before)
    seen = [-1 if values is None else values[0] for values in read]
    assert seen == sorted(seen)
    assert set(seen) == {-1, 0, 1, 2}
