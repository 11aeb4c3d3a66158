"""DuckDB, from Parquet to a table in memory."""

from __future__ import annotations

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]

from benchmarks.contender import Contender
from benchmarks.query import SPARKS, Frame, Job


class DuckDB(Contender):
    """DuckDB, with the SQL of Spark."""

    name = "DuckDB"

    def __init__(self, threads: int) -> None:
        self._connection = duckdb.connect(config={"threads": threads})
        self._connection.execute("SET TimeZone = 'UTC'")

    def sql(self, job: Job) -> str:
        """Return the query, with timestamps without time zone, which are faster in DuckDB."""
        source = f"SELECT * REPLACE (ts::TIMESTAMP AS ts) FROM read_parquet('{job.data.files}')"
        return job.sql(f"({source}) AS source", job.query.duckdb)

    def refuses(self, job: Job) -> str | None:
        if type(job.frame) is not Frame:
            return "has no such windows"
        if job.query in SPARKS:
            return "its sketches are others"
        return None

    def run(self, job: Job) -> None:
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE result AS {self.sql(job)}")

    def rows(self, job: Job) -> pa.Table:
        table: pa.Table = self._connection.sql(self.sql(job)).to_arrow_table()
        return table

    def release(self) -> None:
        self._connection.execute("DROP TABLE IF EXISTS result")
