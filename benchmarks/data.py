"""The benchmarks' rows: generated once, kept as Parquet under build/bench."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
FILES = 8

# Row i of a key has t = 2 i or 2 i + 1, at random: distinct, and two units of t hold one row.
KEYS_PER_ROW = 2
SECONDS_PER_KEY = 30


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a folder to write to, and rename it when it is complete."""
    unfinished = path.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    yield unfinished
    unfinished.rename(path)


@dataclass(frozen=True)
class Data:
    """Rows in random order: k, t (bigint), ts (timestamp), v and w (double, correlated), d (int).

    The keys are of equal size; (k, t) and (k, ts) identify rows. A quarter of the values of d is 1,
    a tenth is 2, and so on to values that occur once.
    """

    rows: int
    keys: int

    @property
    def path(self) -> Path:
        return BUILD / f"{self.rows}-rows-{self.keys}-keys-kttsvwd"

    @property
    def files(self) -> str:
        """Return the pattern of the Parquet files."""
        return str(self.path / "*.parquet")

    def make(self) -> None:
        """Write the files, unless they exist."""
        if self.path.exists():
            return
        random = np.random.default_rng(20130101)
        order = random.permutation(self.rows)
        key = order % self.keys
        t = order // self.keys * KEYS_PER_ROW + random.integers(0, KEYS_PER_ROW, self.rows)
        start = np.datetime64("2013-01-01T00:00:00", "us")
        v = random.normal(100.0, 15.0, self.rows)
        d = np.minimum(random.zipf(1.3, self.rows), 1_000_000).astype("int32")
        table = pa.table(
            {
                "k": key.astype("int32"),
                "t": t,
                "ts": pa.array(
                    start + (t * SECONDS_PER_KEY).astype("timedelta64[s]"),
                    pa.timestamp("us", "UTC"),
                ),
                "v": v,
                "w": 0.5 * v + random.normal(0.0, 10.0, self.rows),
                "d": d,
            }
        )
        step = -(-self.rows // FILES)
        with whole(self.path) as folder:
            for n in range(FILES):
                pq.write_table(table.slice(n * step, step), folder / f"part-{n}.parquet")
