"""Parts of the demo; all of it is run by `make demo`."""

from __future__ import annotations

import importlib.util
import sys
import threading
from datetime import datetime, timedelta
from types import ModuleType

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


def test_a_board_says_what_stood_there() -> None:
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


def test_a_board_is_read_while_it_is_told() -> None:
    board = module("board").Board()
    count = 20_000

    def tell() -> None:
        for second in range(count):
            board.tell(FIRST + timedelta(seconds=second), (second,))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        teller = threading.Thread(target=tell)
        teller.start()
        seen = -1
        while teller.is_alive():
            values = board.at(FAR)
            assert values is not None or seen < 0
            if values is not None:
                assert values[0] >= seen
                seen = values[0]
        teller.join()
    finally:
        sys.setswitchinterval(interval)
    assert board.at(FAR) == (count - 1,)
