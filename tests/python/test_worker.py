"""Python aggregates over windows, without Spark: the results of a worker for batches of rows.

The oracle selects the rows of each window by its definition, and calls the function with them.
"""

from __future__ import annotations

import importlib
import json
import pickle
import random
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from muntin import _worker
from pyspark.sql.types import DoubleType, LongType, StringType, TimestampType

pytestmark = pytest.mark.once


def pickled(value: object) -> bytes:
    """Pickle a value as Spark pickles functions."""
    cloudpickle: Any = importlib.import_module("pyspark.cloudpickle")
    return bytes(cloudpickle.dumps(value))


class Text:
    """The rows of a window in their order, and the calls that built the state."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.calls = 0

    def update(self, x: list[Any]) -> None:
        assert x
        self.rows += x
        self.calls += 1

    def evaluate(self) -> str:
        return "".join(map(str, self.rows))


class Merged(Text):
    def merge(self, other: Merged) -> None:
        assert self is not other
        self.rows += other.rows


class MergedAnew(Text):
    def merge(self, other: Text) -> Text:
        result = MergedAnew()
        result.rows = self.rows + other.rows
        return result


class Retracted(Text):
    def retract(self, x: list[Any]) -> None:
        assert x
        assert self.rows[: len(x)] == x
        del self.rows[: len(x)]


def text_of_windows(x: list[Any], begins: Any, ends: Any) -> list[str]:
    assert begins.dtype == ends.dtype == np.int64
    return ["".join(map(str, x[b:e])) for b, e in zip(begins, ends, strict=False)]


def text_of_rows(x: pa.Array) -> str:
    return "".join(map(str, x.to_pylist()))


def command(of: Any, returns: Any, *, whole: bool = False, values: str = "list") -> bytes:
    def called(*_: Any) -> Any:
        raise AssertionError("the worker calls what is inside")

    called.muntin_aggregator = {"name": of.__name__, "of": of, "values": values, "whole": whole}  # type: ignore
    return pickled((called, returns))


ROADS = {
    "recomputed": command(Text, StringType()),
    "merged": command(Merged, StringType()),
    "merged again": command(MergedAnew, StringType()),
    "retracted": command(Retracted, StringType()),
    "whole": command(text_of_windows, StringType(), whole=True),
    "plain": pickled((text_of_rows, StringType())),
}


def plan(**more: Any) -> dict[str, Any]:
    return {"name": "f", "pandas": False, "names": [None], **more}


def results(commands: list[bytes], said: Any, batches: list[pa.RecordBatch]) -> list[Any]:
    """Return the columns of results."""
    over, kind = _worker.windows(commands, json.dumps(said))
    out = list(over(iter(batches)))
    assert kind.fieldNames() == [f"r{i}" for i in range(len(commands))]
    table = pa.Table.from_batches(out)
    return [table.column(i).to_pylist() for i in range(len(commands))]


def cut(rows: list[tuple[Any, ...]], fields: list[Any], chance: random.Random) -> list[Any]:
    """Return the rows in batches, some of them empty."""
    batches, at = [], 0
    while at < len(rows):
        size = chance.choice([0, 1, 2, 7, 40, 300])
        part = rows[at : at + size]
        arrays = [pa.array([r[i] for r in part], f.type) for i, f in enumerate(fields)]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields)))
        at += size
    return batches


FIELDS = [
    pa.field("x", pa.int64()),
    pa.field("start", pa.int32()),
    pa.field("first", pa.int32()),
    pa.field("size", pa.int64()),
    pa.field("lane", pa.bool_()),
]


def random_rows(
    chance: random.Random, motion: str, *, lane: bool
) -> tuple[list[tuple[Any, ...]], list[Any]]:
    """Return rows with the ends of their windows, and the rows of each window."""
    rows: list[tuple[Any, ...]] = []
    expected: list[Any] = []
    for _ in range(chance.choice([1, 3, 9])):
        count = chance.choice([1, 2, 5, 60, 300])
        inside = [not lane or chance.random() < 0.6 for _ in range(count)]
        values = [chance.choice([None, *range(10)]) for _ in range(count)]
        positions = [i for i in range(count) if inside[i]]
        back, ahead = chance.choice([0, 1, 3, 130, 250]), chance.choice([-2, 0, 1, 50])
        reset = 0
        for i in range(count):
            if motion == "rows":
                low, high = i - back, i + ahead
            elif motion == "growing":
                low, high = 0, i
            elif motion == "whole":
                low, high = 0, count
            else:  # since
                reset = i if chance.random() < 0.05 else reset
                low, high = reset, i
            window = [k for k, p in enumerate(positions) if low <= p <= high]
            absent = chance.random() < 0.05
            first = window[0] + 1 if window else None
            size = None if absent else len(window)
            rows.append((values[i], i + 1, first, size, inside[i]))
            expected.append(None if absent else [values[positions[k]] for k in window])
    return rows, expected


@pytest.mark.parametrize("motion", ["rows", "growing", "whole", "since"])
@pytest.mark.parametrize("lane", [False, True])
def test_every_road_receives_the_rows_of_each_window(motion: str, lane: bool) -> None:
    chance = random.Random(f"{motion} {lane}")
    for _ in range(5):
        rows, expected = random_rows(chance, motion, lane=lane)
        one = plan(args=[0], first=2, size=3, **({"lane": 4} if lane else {}))
        said = {"functions": [one] * len(ROADS), "start": 1, "zone": "UTC"}
        found = results(list(ROADS.values()), said, cut(rows, FIELDS, chance))
        texts = [None if e is None else "".join(map(str, e)) for e in expected]
        for road, column in zip(ROADS, found, strict=False):
            assert column == texts, road


def test_every_road_accepts_lists() -> None:
    chance = random.Random(2)
    kind = pa.list_(pa.struct([("_0", pa.int64())]))
    lists = [
        None if chance.random() < 0.1 else [chance.choice([None, 1, 2]) for _ in range(size)]
        for size in [0, 1, 2, 300, 0, 0, 5] * 9
    ]
    rows = [(None if v is None else [{"_0": x} for x in v],) for v in lists]
    said = {"functions": [plan(list=0)] * len(ROADS), "start": None, "zone": "UTC"}
    found = results(list(ROADS.values()), said, cut(rows, [pa.field("rows", kind)], chance))
    texts = [None if v is None else "".join(map(str, v)) for v in lists]
    for road, column in zip(ROADS, found, strict=False):
        assert column == texts, road


def test_a_result_does_not_depend_on_the_batches() -> None:
    """Sums of doubles depend on the order of additions, so the order must not change."""

    class Sum:
        def __init__(self) -> None:
            self.total = 0.0

        def update(self, x: Any) -> None:
            self.total += float(np.sum(x))

        def merge(self, other: Any) -> None:
            self.total += other.total

        def evaluate(self) -> float:
            return self.total

    chance = random.Random(3)
    fields = [pa.field("x", pa.float64()), *FIELDS[1:4]]
    rows = [
        (chance.uniform(-1e9, 1e9), i + 1, max(1, i - 998), min(1000, i + 1)) for i in range(4000)
    ]
    said = {"functions": [plan(args=[0], first=2, size=3)], "start": 1, "zone": "UTC"}
    sums = command(Sum, DoubleType(), values="numpy")
    once = results([sums], said, cut(rows, fields, chance))
    again = results([sums], said, cut(rows, fields, chance))
    assert once == again
    # The result after another partition is equal, too.
    others = [(1.0, i + 1, 1, i + 1) for i in range(77)]
    behind = results([sums], said, cut(others + rows, fields, chance))
    assert [behind[0][77:]] == once


def test_rows_before_the_windows_are_dropped() -> None:
    said = json.loads(json.dumps(plan(args=[0], first=2, size=3)))
    function = _worker.Function(ROADS["retracted"], said, "UTC")
    for batch in range(50):
        numbers = np.arange(batch * 100, batch * 100 + 100)
        columns = [
            pa.array(numbers),
            pa.array(numbers + 1, pa.int32()),
            pa.array(np.maximum(numbers - 8, 1), pa.int32()),
            pa.array(np.minimum(numbers + 1, 10)),
        ]
        function.push(pa.RecordBatch.from_arrays(columns, names=["x", "p", "f", "s"]), numbers == 0)
        assert len(function.kept[0]) <= 10
        assert function.count == 100
        function.take(100)


def test_lists_are_dropped() -> None:
    function = _worker.Function(ROADS["merged"], plan(list=0), "UTC")
    kind = pa.list_(pa.struct([("_0", pa.int64())]))
    for _ in range(3):
        lists = pa.array([[{"_0": 1}] * 5] * 3, kind)
        function.push(pa.RecordBatch.from_arrays([lists], names=["rows"]), None)
        assert len(function.kept[0]) == 0
        assert function.count == 3
        assert function.take(3).to_pylist() == ["11111"] * 3


def test_blocks_before_the_windows_are_dropped() -> None:
    road = _worker.Merging(Merged, "list", merges=True)
    numbers = np.arange(100_000)
    begins = numbers[::100]
    road.results([numbers.tolist()], begins, np.minimum(begins + 1000, 100_000), begins * 0)
    assert len(road.blocks) <= 600
    assert all(first % _worker.FAN**level == 0 for level, first in road.blocks)


def test_a_window_merges_few_states() -> None:
    road = _worker.Merging(Merged, "list", merges=True)
    numbers = list(range(200_000))
    state = road.between(numbers and [numbers], 10, 199_990)
    assert state.rows == numbers[10:199_990]
    assert state.calls == 2  # one update for each end; all other rows are in merged states


@pytest.mark.parametrize(
    ("values", "nulls", "kind"),
    [
        ("numpy", False, pa.int32()),
        ("numpy", True, pa.float64()),
        ("list", True, pa.string()),
        ("arrow", True, pa.decimal128(22, 2)),
    ],
)
def test_values_have_the_requested_type(values: str, nulls: bool, kind: Any) -> None:
    array = pa.array([1, None if nulls else 2], pa.int64()).cast(kind)
    found = _worker.values_of(array, values, "f")
    shown = {"numpy": np.ndarray, "list": list, "arrow": pa.Array}[values]
    assert isinstance(found, shown)
    if values == "numpy" and nulls:
        assert np.isnan(found[1])


def test_numpy_has_no_null_for_integers() -> None:
    with pytest.raises(ValueError, match=r"Mean: a column of int64 has nulls.*values='arrow'"):
        _worker.values_of(pa.array([1, None]), "numpy", "Mean")


def test_a_result_of_another_type_is_shown() -> None:
    outcome = _worker.Outcome("Mean", LongType(), "UTC", is_pandas=False)
    with pytest.raises(TypeError, match=r"Mean returns bigint, and returned 'a', a str"):
        outcome.of_list([1, None, "a"])
    with pytest.raises(TypeError, match=r"Mean returns bigint, and returned 1.5, a float"):
        outcome.of_list([1.5])
    with pytest.raises(TypeError, match="Mean returns bigint, and returned"):
        outcome.of_array(np.array([1.5]))
    assert outcome.of_array(np.array([2.0])).to_pylist() == [2]
    assert outcome.of_list([np.int32(3), pa.scalar(4), None]).to_pylist() == [3, 4, None]


# Before Spark 4.1, the pandas API on Spark lets Arrow ignore zones in its process.
@pytest.mark.parametrize("ignored", [False, True])
def test_times_without_a_zone_use_the_session_time_zone(
    ignored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datetime as dt

    monkeypatch.delenv("PYARROW_IGNORE_TIMEZONE", raising=False)
    if ignored:
        monkeypatch.setenv("PYARROW_IGNORE_TIMEZONE", "1")
    outcome = _worker.Outcome("Last", TimestampType(), "Asia/Tokyo", is_pandas=True)
    noon = dt.datetime(2024, 5, 1, 12)
    at = dt.datetime(2024, 5, 1, 3, tzinfo=dt.UTC)
    there = noon.replace(tzinfo=dt.timezone(dt.timedelta(hours=9)))
    found = outcome.of_list([noon, None, there]).cast(pa.timestamp("us", "UTC"))
    assert found.to_pylist() == [at, None, at]
    series = _worker.pandas_of(pa.array([at], pa.timestamp("us", "UTC")), "Asia/Tokyo")
    assert series[0] == noon


def test_whole_arrays_have_one_result_for_each_window() -> None:
    short = command(lambda *_: [1], LongType(), whole=True)
    said = {"functions": [plan(args=[0], first=2, size=3)], "start": 1, "zone": "UTC"}
    rows = [(1, 1, 1, 1), (2, 2, 1, 2)]
    batch = [
        pa.RecordBatch.from_arrays(
            [pa.array([r[i] for r in rows], f.type) for i, f in enumerate(FIELDS[:4])],
            schema=pa.schema(FIELDS[:4]),
        )
    ]
    with pytest.raises(ValueError, match="returned 1 results for 2 windows"):
        results([short], said, batch)


def test_a_broadcast_command_is_loaded() -> None:
    class Broadcast:
        value = ROADS["merged"]

    loaded = pickle.loads(pickled(Broadcast()))
    function = _worker.Function(pickled(loaded), plan(args=[0], first=2, size=3), "UTC")
    assert function.name == "Merged"


def test_a_group_is_one_window() -> None:
    marks = {"name": "f", "values": "list", "whole": False}
    one, none = pa.array([3, None, 4]), pa.array([], pa.int64())
    assert _worker.whole({**marks, "of": Text}, (one,)) == "3None4"
    assert _worker.whole({**marks, "of": Text}, (none,)) == ""
    of_windows = {**marks, "of": text_of_windows, "whole": True}
    assert _worker.whole(of_windows, (one,)) == "3None4"
