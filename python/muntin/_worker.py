"""Runs aggregates written in Python over windows, in Spark's Python workers.

The JVM sends the rows of a task once, in Arrow batches, with the ends of each row's window. The
worker returns the results in the order of the rows. The jar contains this file as text, and sends
it with the user's functions, so the workers do not need an installed Muntin.

    x       10  20  30  40        ROWS 1 PRECEDING
    first    1   1   2   3        the position of the window's first row in its partition, from 1
    size     1   2   2   2        the number of rows in the window; null: the row has no result
    calls    update([10]), update([20]), update([30]) and retract([10]), …

The worker keeps the rows from the first row of the oldest open window on. Small partitions share a
batch. A frame that looks back needs memory for its rows and one batch only.
tests/python/test_worker.py compares every road with its definition.
"""

from __future__ import annotations

import datetime as dt
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

LEAF = 64  # the number of rows in the smallest block, for aggregators that can only be merged
FAN = 8  # the number of blocks in a larger block


# ---- from and to Python


def numpy_of(array: pa.Array, name: str) -> Any:
    """Return an Arrow array as a numpy array. A missing float is NaN, a missing time NaT."""
    kind = array.type
    if array.null_count and (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        raise ValueError(
            f"{name}: a column of {kind} has nulls, and numpy has no null for it. Take Arrow "
            "arrays (values='arrow') or lists (values='list'), or give the nulls a value with "
            "coalesce"
        )
    if pa.types.is_timestamp(kind):
        return array.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
    return array.to_numpy(zero_copy_only=False)


def pandas_of(array: pa.Array, zone: str) -> Any:
    """Return an Arrow array as in Spark's pandas UDFs: times are in the session's time zone."""
    series = array.to_pandas(date_as_object=True)
    if pa.types.is_timestamp(array.type):
        if array.type.tz is not None:
            series = series.dt.tz_convert(zone).dt.tz_localize(None)
        return series.astype("datetime64[ns]")
    return series


def values_of(array: pa.Array, kind: str, name: str, zone: str = "UTC") -> Any:
    """Return a column as the type of array that the function accepts."""
    if kind == "arrow":
        return array
    if kind == "numpy":
        return numpy_of(array, name)
    if kind == "list":
        plain = pa.types.is_integer(array.type) or pa.types.is_floating(array.type)
        # Returns the same values in less time.
        return array.to_numpy().tolist() if plain and not array.null_count else array.to_pylist()
    return pandas_of(array, zone)


def arrow_type(kind: Any) -> pa.DataType:
    """Return the Arrow type of a Spark type."""
    name = type(kind).__name__
    if name in SIMPLE:
        return SIMPLE[name]
    if name == "DecimalType":
        return pa.decimal128(kind.precision, kind.scale)
    if name == "ArrayType":
        item = pa.field("element", arrow_type(kind.elementType), kind.containsNull)
        return pa.list_(item)
    if name == "MapType":
        value = pa.field("value", arrow_type(kind.valueType), kind.valueContainsNull)
        return pa.map_(arrow_type(kind.keyType), value)
    if name == "StructType":
        return pa.struct([pa.field(f.name, arrow_type(f.dataType), f.nullable) for f in kind])
    raise TypeError(f"{kind.simpleString()} is not a type that Python returns to Spark in Arrow")


SIMPLE = {
    "BooleanType": pa.bool_(),
    "ByteType": pa.int8(),
    "ShortType": pa.int16(),
    "IntegerType": pa.int32(),
    "LongType": pa.int64(),
    "FloatType": pa.float32(),
    "DoubleType": pa.float64(),
    "StringType": pa.string(),
    "CharType": pa.string(),
    "VarcharType": pa.string(),
    "BinaryType": pa.binary(),
    "DateType": pa.date32(),
    "TimestampType": pa.timestamp("us", tz="UTC"),
    "TimestampNTZType": pa.timestamp("us"),
    "DayTimeIntervalType": pa.duration("us"),
    "TimeType": pa.time64("ns"),
    "NullType": pa.null(),
}


class Outcome:
    """The results of one function, as a column of its type."""

    def __init__(self, name: str, kind: Any, zone: str, is_pandas: bool) -> None:
        self.name, self.kind, self.zone, self.is_pandas = name, arrow_type(kind), zone, is_pandas
        self.said = kind.simpleString()

    def of_list(self, results: list[Any]) -> pa.Array:
        if pa.types.is_timestamp(self.kind) and self.kind.tz is not None:
            results = [self.localized(r) for r in results]
        try:
            if pa.types.is_integer(self.kind):
                check_whole(results)
            return pa.array(results, self.kind, from_pandas=self.is_pandas)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            if any(isinstance(r, pa.Scalar) for r in results):
                return self.of_list([r.as_py() if isinstance(r, pa.Scalar) else r for r in results])
            return self.cast(results, error)

    def of_array(self, results: Any) -> pa.Array:
        """Return the result of a function over whole arrays."""
        if isinstance(results, (list, tuple)):
            return self.of_list(list(results))
        if isinstance(results, pa.ChunkedArray):
            results = results.combine_chunks()
        try:
            array = results if isinstance(results, pa.Array) else pa.array(results)
            return array if array.type == self.kind else array.cast(self.kind)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise TypeError(f"{self.name} returns {self.said}, and returned {error}") from error

    def localized(self, result: Any) -> Any:
        """Return a time as in Spark: a time without a zone is in the session's time zone."""
        if isinstance(result, pa.Scalar):
            result = result.as_py()
        if result is None or result != result:
            return None
        is_numpy = isinstance(result, np.datetime64)
        if is_numpy or getattr(result, "tzinfo", True) is None:
            import pandas as pd  # type: ignore[import-untyped]

            zone = "UTC" if is_numpy and not self.is_pandas else self.zone
            result = pd.Timestamp(result).tz_localize(zone)
        # In UTC, because PYARROW_IGNORE_TIMEZONE may make Arrow ignore zones.
        return result.astimezone(dt.timezone.utc) if hasattr(result, "astimezone") else result

    def cast(self, results: list[Any], error: Exception) -> pa.Array:
        if self.is_pandas:  # as Spark casts the result of a pandas UDF
            try:
                return pa.array(results, from_pandas=True).cast(self.kind)
            except (pa.ArrowException, TypeError, ValueError):
                pass
        for result in results:
            try:
                if pa.types.is_integer(self.kind):
                    check_whole([result])
                pa.array([result], self.kind, from_pandas=self.is_pandas)
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as why:
                raise TypeError(
                    f"{self.name} returns {self.said}, and returned {result!r}, a "
                    f"{type(result).__name__}: {why}"
                ) from why
        raise error


def check_whole(results: list[Any]) -> None:
    """Reject numbers with a fraction among integers, because Arrow would truncate them."""
    for result in results:
        if isinstance(result, (float, np.floating)) and result == result and result % 1:
            raise ValueError("an integer has no fraction")


# ---- the roads from a window's rows to its result


def slicer(kind: str) -> Callable[[Any, int, int], Any]:
    """Return a function that slices a column between two positions, without a copy."""
    if kind == "arrow":
        return lambda column, begin, end: column.slice(begin, end - begin)
    if kind == "pandas":
        return lambda column, begin, end: column.iloc[begin:end]
    return lambda column, begin, end: column[begin:end]


class Road:
    """Computes the results of windows from their positions in columns."""

    def results(self, columns: list[Any], begins: Any, ends: Any, _starts: Any) -> Any:
        """Return the results of windows; their partitions begin at the last argument."""
        raise NotImplementedError

    def moved(self, by: int) -> None:
        """Reduce all later positions by this number."""


class EachWindow(Road):
    """A UDF of Spark, called with the rows of each window."""

    def __init__(self, call: Callable[..., Any], kind: str, names: list[Any]) -> None:
        self.call, self.cut = call, slicer(kind)
        self.plain = sum(1 for n in names if n is None)
        self.names = names[self.plain :]

    def results(self, columns: list[Any], begins: Any, ends: Any, _starts: Any) -> list[Any]:
        found: list[Any] = []
        last, result = (-1, -1), None
        for begin, end in zip(begins.tolist(), ends.tolist()):
            if (begin, end) != last:
                last = (begin, end)
                cut = [self.cut(c, begin, end) for c in columns]
                named = dict(zip(self.names, cut[self.plain :]))
                result = self.call(*cut[: self.plain], **named)
            found.append(result)
        return found


class Retracting(Road):
    """An aggregator that can remove rows: each row enters and leaves once."""

    def __init__(self, make: Callable[[], Any], kind: str) -> None:
        self.make, self.cut = make, slicer(kind)
        self.state: Any = None
        self.low = self.high = -1

    def results(self, columns: list[Any], begins: Any, ends: Any, _starts: Any) -> list[Any]:
        found: list[Any] = []
        cut, state, low, high = self.cut, self.state, self.low, self.high
        one = columns[0] if len(columns) == 1 else None
        append = found.append
        for begin, end in zip(begins.tolist(), ends.tolist()):
            if end == begin:
                append(self.make().evaluate())
                continue
            if begin < low or begin >= high or end < high:
                state, low, high = self.make(), begin, begin
            if end > high:
                if one is not None:
                    state.update(cut(one, high, end))
                else:
                    state.update(*[cut(c, high, end) for c in columns])
                high = end
            if begin > low:
                if one is not None:
                    state.retract(cut(one, low, begin))
                else:
                    state.retract(*[cut(c, low, begin) for c in columns])
                low = begin
            append(state.evaluate())
        self.state, self.low, self.high = state, low, high
        return found

    def moved(self, by: int) -> None:
        self.low, self.high = self.low - by, self.high - by


class Merging(Road):
    """An aggregator that can only be merged: its windows consist of aligned blocks of rows.

    A block of 64 rows begins at each 64th row of a partition, a block of 512 rows at each 512th
    row, and so on. The state of a block is computed once. A window merges the blocks inside it,
    from left to right, and adds the rows at each of its ends by one update. If a window only grows
    at its end, the new rows are added to the previous window's state. So a result depends only on
    the rows of the window and on their positions in the partition.
    """

    def __init__(self, make: Callable[[], Any], kind: str, merges: bool) -> None:
        self.make, self.cut, self.merges = make, slicer(kind), merges
        self.state: Any = None
        self.low = self.high = self.start = -1
        self.blocks: dict[tuple[int, int], Any] = {}
        self.most = 256

    def results(self, columns: list[Any], begins: Any, ends: Any, starts: Any) -> list[Any]:
        found: list[Any] = []
        for begin, end, start in zip(begins.tolist(), ends.tolist(), starts.tolist()):
            if end == begin:
                found.append(self.make().evaluate())
                continue
            if start != self.start:
                self.start, self.blocks, self.low = start, {}, -1
            if begin != self.low or end < self.high:
                self.state, self.low = self.between(columns, begin, end), begin
            elif end > self.high:
                self.state.update(*[self.cut(c, self.high, end) for c in columns])
            self.high = end
            found.append(self.state.evaluate())
        return found

    def between(self, columns: list[Any], begin: int, end: int) -> Any:
        state = self.make()
        if not self.merges or end - begin < 2 * LEAF:
            state.update(*[self.cut(c, begin, end) for c in columns])
            return state
        first = -(-(begin - self.start) // LEAF)
        last = (end - self.start) // LEAF
        inner = self.start + first * LEAF
        if begin < inner:
            state.update(*[self.cut(c, begin, inner) for c in columns])
        while first < last:
            level = 0
            while first % FAN ** (level + 1) == 0 and first + FAN ** (level + 1) <= last:
                level += 1
            state = merged(state, self.block(columns, first, level))
            first += FAN**level
        inner = self.start + last * LEAF
        if inner < end:
            state.update(*[self.cut(c, inner, end) for c in columns])
        self.forget(begin)
        return state

    def block(self, columns: list[Any], first: int, level: int) -> Any:
        key = (level, first)
        state = self.blocks.get(key)
        if state is None:
            state = self.make()
            if level == 0:
                begin = self.start + first * LEAF
                state.update(*[self.cut(c, begin, begin + LEAF) for c in columns])
            else:
                part = FAN ** (level - 1)
                for i in range(FAN):
                    state = merged(state, self.block(columns, first + i * part, level - 1))
            self.blocks[key] = state
        return state

    def forget(self, begin: int) -> None:
        # Runs when half of the blocks may be before the window, so it visits each about twice.
        if len(self.blocks) > self.most:
            oldest = (begin - self.start) // LEAF
            self.blocks = {
                (level, first): state
                for (level, first), state in self.blocks.items()
                if first + FAN**level > oldest
            }
            self.most = 2 * len(self.blocks) + 256

    def moved(self, by: int) -> None:
        self.low, self.high, self.start = self.low - by, self.high - by, self.start - by


def merged(state: Any, other: Any) -> Any:
    """Return the merged state: ``merge`` changes the state, or returns another."""
    result = state.merge(other)
    return state if result is None else result


class WholeArrays(Road):
    """A function that receives all values and the ends of all windows in one call."""

    def __init__(self, call: Callable[..., Any], name: str) -> None:
        self.call, self.name = call, name

    def results(self, columns: list[Any], begins: Any, ends: Any, _starts: Any) -> Any:
        found = self.call(*columns, begins, ends)
        size = len(found) if hasattr(found, "__len__") else None
        if size != len(begins):
            shown = type(found).__name__ if size is None else f"{size} results"
            raise ValueError(
                f"{self.name} returned {shown} for {len(begins)} windows. Return an array with "
                "one result for each window"
            )
        return found


# ---- rows in, results out


class Function:
    """One function over its windows, with the rows of open windows and the pending windows."""

    def __init__(self, command: bytes, plan: dict[str, Any], zone: str) -> None:
        loaded = pickle.loads(command)
        if not isinstance(loaded, tuple):  # Spark broadcasts a large command
            loaded = pickle.loads(loaded.value)
        call, kind = loaded
        self.plan, self.type = plan, kind
        mark = getattr(call, "muntin_aggregator", None)
        self.name = plan["name"] if mark is None else mark["name"]
        self.kind = mark["values"] if mark else ("pandas" if plan["pandas"] else "arrow")
        self.road = self.roads(call, mark)
        self.outcome = Outcome(self.name, kind, zone, mark is None and plan["pandas"])
        self.zone = zone
        self.kept: list[pa.Array] = []
        self.nothing: list[pa.Array] = []  # the columns without a row
        self.new: list[list[pa.Array]] = []
        self.base = 0  # the number of rows before the first row in `kept`
        self.seen = 0  # the number of rows that have arrived
        self.start = 0  # where the partition begins
        self.waiting: list[tuple[Any, Any, Any, Any]] = []
        self.ready: list[pa.Array] = []
        self.count = 0

    def roads(self, call: Callable[..., Any], mark: Any) -> Road:
        if mark is None:
            return EachWindow(call, self.kind, self.plan["names"])
        if mark["whole"]:
            return WholeArrays(mark["of"], self.name)
        make = mark["of"]
        if hasattr(make, "retract"):
            return Retracting(make, self.kind)
        return Merging(make, self.kind, hasattr(make, "merge"))

    def push(self, batch: pa.RecordBatch, is_start: Any) -> None:
        """Add the next rows, and compute the results of the windows that are now complete."""
        if "list" in self.plan:
            self.push_lists(batch.column(self.plan["list"]))
        else:
            self.push_rows(batch, is_start)
        # Windows end in their order, so the oldest window determines whether there is work.
        if self.waiting and self.waiting[0][1][0] <= self.seen:
            self.evaluate()

    def push_rows(self, batch: pa.RecordBatch, is_start: Any) -> None:
        values = [batch.column(i) for i in self.plan["args"]]
        self.nothing = [v.slice(0, 0) for v in values]
        lane = self.plan.get("lane")
        if lane is None:
            before = self.seen + np.arange(batch.num_rows, dtype=np.int64)
            count = batch.num_rows
        else:
            mask = batch.column(lane).fill_null(False)
            values = [v.filter(mask) for v in values]
            inside = np.cumsum(mask.to_numpy(zero_copy_only=False), dtype=np.int64)
            before = self.seen + np.concatenate([[0], inside])[:-1]
            count = int(inside[-1]) if len(inside) else 0
        starts = np.maximum.accumulate(np.where(is_start, before, self.start))
        first = batch.column(self.plan["first"]).fill_null(1)
        size = batch.column(self.plan["size"])
        absent = size.is_null().to_numpy(zero_copy_only=False)
        begins = starts + first.to_numpy(zero_copy_only=False) - 1
        ends = begins + size.fill_null(0).to_numpy(zero_copy_only=False)
        if len(starts):
            self.start = int(starts[-1])
        self.add(values, count, begins, ends, starts, absent)

    def push_lists(self, lists: pa.Array) -> None:
        offsets = lists.offsets.to_numpy().astype(np.int64)
        rows = lists.values.slice(offsets[0], offsets[-1] - offsets[0])
        values = rows.flatten()
        self.nothing = [v.slice(0, 0) for v in values]
        begins = offsets[:-1] - offsets[0] + self.seen
        ends = offsets[1:] - offsets[0] + self.seen
        absent = lists.is_null().to_numpy(zero_copy_only=False)
        self.add(values, len(rows), begins, ends, begins, absent)
        self.start = self.seen

    def add(
        self, values: list[pa.Array], count: int, begins: Any, ends: Any, starts: Any, absent: Any
    ) -> None:
        if count:
            self.new.append(values)
            self.seen += count
        if len(begins):
            self.waiting.append((begins, ends, starts, absent))

    def evaluate(self) -> None:
        parts = [np.concatenate(part) for part in zip(*self.waiting)]
        still_open = parts[1] > self.seen
        ready = int(still_open.argmax()) if still_open.any() else len(still_open)
        begins, ends, starts, absent = [part[:ready] for part in parts]
        rest = tuple(part[ready:] for part in parts)
        self.waiting = [rest] if len(rest[0]) else []  # type: ignore[list-item]
        if self.new:
            chunks = ([self.kept] if self.kept else []) + self.new
            self.kept = [pa.concat_arrays(of_column) for of_column in zip(*chunks)]
            self.new = []
        columns = [values_of(c, self.kind, self.name, self.zone) for c in self.kept]
        if not absent.any():
            array = self.results(columns, begins, ends, starts)
        else:
            there = ~absent
            array = self.results(columns, begins[there], ends[there], starts[there])
            array = array.take(pa.array(np.cumsum(there) - 1, mask=absent))
        self.ready.append(array)
        self.count += ready
        self.drop(begins, ends)

    def results(self, columns: list[Any], begins: Any, ends: Any, starts: Any) -> pa.Array:
        if not len(begins):
            return self.outcome.of_list([])
        if not columns:  # no row of a window has arrived yet
            columns = [values_of(c, self.kind, self.name, self.zone) for c in self.nothing]
        # A window without rows may be at any position.
        begins, ends = (np.maximum(places - self.base, 0) for places in (begins, ends))
        found = self.road.results(columns, begins, ends, starts - self.base)
        if isinstance(found, list):
            return self.outcome.of_list(found)
        return self.outcome.of_array(found)

    def drop(self, begins: Any, ends: Any) -> None:
        """Drop the rows before the last window, since windows only move forward."""
        oldest = self.base
        filled = np.flatnonzero(ends > begins)
        if len(filled):
            oldest = int(begins[filled[-1]])
        if not self.waiting:
            oldest = max(oldest, self.start)
        gone = min(oldest, self.seen) - self.base
        if gone > 0:
            self.kept = [k.slice(gone) for k in self.kept]
            self.base += gone
            self.road.moved(gone)

    def take(self, rows: int) -> pa.Array:
        """Return the results of the next n rows."""
        array = self.ready[0] if len(self.ready) == 1 else pa.concat_arrays(self.ready)
        self.ready = [array.slice(rows)] if rows < len(array) else []
        self.count -= rows
        return array.slice(0, rows)


def windows(commands: list[bytes], plan: str) -> Any:
    """Return a function for mapInArrow that runs the functions, and the type of its rows."""
    from pyspark.sql.types import StructField, StructType

    said = json.loads(plan)
    functions = [
        Function(command, one, said["zone"]) for command, one in zip(commands, said["functions"])
    ]
    names = [f"r{i}" for i in range(len(functions))]

    def over(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            is_start = None
            if said["start"] is not None:
                is_start = batch.column(said["start"]).to_numpy(zero_copy_only=False) == 1
            for function in functions:
                function.push(batch, is_start)
            rows = min(function.count for function in functions)
            if rows:
                yield pa.RecordBatch.from_arrays([f.take(rows) for f in functions], names=names)

    return over, StructType([StructField(n, f.type) for n, f in zip(names, functions)])


def whole(mark: dict[str, Any], columns: tuple[Any, ...]) -> Any:
    """Return the aggregate of a whole group, for Spark's GROUP BY."""
    arrays = [
        c
        if isinstance(c, pa.Array)
        else c.combine_chunks()
        if isinstance(c, pa.ChunkedArray)
        else pa.Array.from_pandas(c)
        for c in columns
    ]
    values = [values_of(a, mark["values"], mark["name"]) for a in arrays]
    size = len(arrays[0])
    if mark["whole"]:
        begins, ends = np.array([0]), np.array([size])
        return WholeArrays(mark["of"], mark["name"]).results(values, begins, ends, begins)[0]
    state = mark["of"]()
    if size:
        state.update(*values)
    return state.evaluate()
