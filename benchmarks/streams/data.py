"""A stream's rows: generated once, kept as Parquet, a file for each micro-batch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv as csv  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from benchmarks.data import BUILD, whole

# The maximum delay of a row.
DISORDER_SECONDS = 5
# Flink's tasks read one file each at a time. Short files keep the tasks near each other in time.
TEXTS_PER_FILE = 20


@dataclass(frozen=True)
class Readings:
    """Readings of one day: k (bigint), t and until (timestamps), v (double).

    They arrive almost in time order. Each reading is valid for about ten readings of its key.
    """

    rows: int
    keys: int
    files: int

    @property
    def path(self) -> Path:
        """Return the folder of the Parquet files."""
        return BUILD / f"stream-{self.rows}-rows-{self.keys}-keys-{self.files}-files"

    @property
    def text(self) -> Path:
        """Return the folder of the rows as text."""
        return self.path.with_name(self.path.name + "-texts")

    def make(self, as_text: bool = False) -> None:
        """Write the files, unless they exist."""
        target = self.text if as_text else self.path
        if target.exists():
            return
        random = np.random.default_rng(20130101)
        day = 86_400_000_000
        times = np.sort(random.integers(0, day, self.rows))
        arrival = times + random.integers(0, DISORDER_SECONDS * 1_000_000, self.rows)
        times = times[np.argsort(arrival, kind="stable")]
        start = np.datetime64("2013-01-01T00:00:00", "us")
        length = 10 * day // (self.rows // self.keys)
        ends = times + random.integers(length // 2, length * 3 // 2, self.rows)
        zone = None if as_text else "UTC"
        table = pa.table(
            {
                "k": random.integers(0, self.keys, self.rows),
                "t": pa.array(start + times.astype("timedelta64[us]"), pa.timestamp("us", zone)),
                "until": pa.array(start + ends.astype("timedelta64[us]"), pa.timestamp("us", zone)),
                "v": random.normal(100.0, 15.0, self.rows),
            }
        )
        files = self.files * TEXTS_PER_FILE if as_text else self.files
        step = -(-self.rows // files)
        with whole(target) as folder:
            for n in range(files):
                part = table.slice(n * step, step)
                if as_text:
                    options = csv.WriteOptions(include_header=False, quoting_style="none")
                    csv.write_csv(part, folder / f"part-{n:04}.csv", options)
                else:
                    pq.write_table(part, folder / f"part-{n:03}.parquet")
