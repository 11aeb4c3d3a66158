"""Rows for the windows of groups: intervals, days over ten years, anchors."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from benchmarks.data import BUILD, FILES, KEYS_PER_ROW


@dataclass(frozen=True)
class Generated:
    """A table that is generated once and kept as Parquet."""

    rows: int
    keys: int

    @property
    def name(self) -> str:
        """Return the name that identifies the table."""
        return f"{type(self).__name__.lower()}_{self.rows}_{self.keys}"

    @property
    def path(self) -> Path:
        return BUILD / self.name

    @property
    def files(self) -> str:
        """Return the pattern of the Parquet files."""
        return str(self.path / "*.parquet")

    def table(self) -> pa.Table:
        """Return the rows, in random order."""
        raise NotImplementedError

    def make(self) -> None:
        """Write the files, unless they exist."""
        if self.path.exists():
            return
        table = self.table()
        unfinished = self.path.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        step = -(-table.num_rows // FILES)
        for n in range(FILES):
            pq.write_table(table.slice(n * step, step), unfinished / f"part-{n}.parquet")
        unfinished.rename(self.path)

    def _order(self) -> tuple[np.random.Generator, np.ndarray]:
        random = np.random.default_rng(20130101)
        return random, random.permutation(self.rows)


@dataclass(frozen=True)
class Intervals(Generated):
    """k, s, e (bigint), v (double): a start in two units, `overlap` valid at a time."""

    overlap: int

    @property
    def name(self) -> str:
        return f"{super().name}_{self.overlap}"

    def table(self) -> pa.Table:
        random, order = self._order()
        start = order // self.keys * 2 + random.integers(0, 2, self.rows)
        length = random.integers(1, 4 * self.overlap, self.rows)
        return pa.table(
            {
                "k": (order % self.keys).astype("int32"),
                "s": start,
                "e": start + length,
                "v": random.normal(100.0, 15.0, self.rows),
            }
        )


@dataclass(frozen=True)
class Decade(Generated):
    """k (int), at (timestamp), v (double), at any second of ten years."""

    def table(self) -> pa.Table:
        random, order = self._order()
        seconds = random.integers(0, 3652 * 86_400, self.rows)
        start = np.datetime64("2010-01-01T00:00:00", "us")
        return pa.table(
            {
                "k": (order % self.keys).astype("int32"),
                "at": pa.array(start + seconds.astype("timedelta64[s]"), pa.timestamp("us", "UTC")),
                "v": random.normal(100.0, 15.0, self.rows),
            }
        )


@dataclass(frozen=True)
class Times(Generated):
    """k, t (bigint), id: any time of the rows of `source_rows` by key."""

    source_rows: int

    @property
    def name(self) -> str:
        return f"{super().name}_{self.source_rows}"

    def table(self) -> pa.Table:
        random, order = self._order()
        last = self.source_rows // self.keys * KEYS_PER_ROW
        return pa.table(
            {
                "k": (order % self.keys).astype("int32"),
                "t": random.integers(0, last, self.rows),
                "id": order,
            }
        )


@dataclass(frozen=True)
class Anchors(Generated):
    """k, lo, hi (bigint), id: windows of about `width` of the rows of `source_rows` by key."""

    source_rows: int
    width: int

    @property
    def name(self) -> str:
        return f"{super().name}_{self.source_rows}_{self.width}"

    def table(self) -> pa.Table:
        random, order = self._order()
        last = self.source_rows // self.keys * KEYS_PER_ROW
        start = random.integers(0, last, self.rows)
        return pa.table(
            {
                "k": (order % self.keys).astype("int32"),
                "lo": start,
                "hi": start + self.width * KEYS_PER_ROW - 1,
                "id": order,
            }
        )
