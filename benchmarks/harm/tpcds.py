"""The tables and the queries of TPC-DS, from DuckDB's generator."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import BUILD

# A release of the generator fits one release of DuckDB. Other benchmarks may use another.
VERSION = "1.5.5"
PACKAGES = (f"duckdb=={VERSION}", f"duckdb-extension-tpcds=={VERSION}")

WRITE = """
import json, pathlib, sys
import duckdb, duckdb_extension_tpcds

folder = pathlib.Path(duckdb_extension_tpcds.__file__).parent
connection = duckdb.connect()
connection.execute(f"LOAD '{next(folder.rglob('*.duckdb_extension'))}'")
connection.execute("CALL dsdgen(sf = 0)")
columns = connection.execute(
    "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal "
    "ORDER BY table_oid, column_index"
)
tables = {}
for table, column, type in columns.fetchall():
    tables.setdefault(table, []).append(f"{column} {type.replace('VARCHAR', 'STRING')}")
queries = connection.execute("SELECT query_nr, query FROM tpcds_queries() ORDER BY query_nr")
pathlib.Path(sys.argv[1]).write_text(json.dumps([tables, dict(queries.fetchall())]))
"""


@dataclass(frozen=True)
class TpcDs:
    """The statements that create the empty tables, and the queries by their numbers."""

    tables: dict[str, str]
    queries: dict[int, str]


def read() -> TpcDs:
    """Read both from the build folder; at the first call, DuckDB writes them."""
    written = BUILD / f"tpcds-{VERSION}.json"
    if not written.exists():
        _write(written)
    tables, queries = json.loads(written.read_text())
    return TpcDs(
        {
            name: f"CREATE TABLE {name} ({', '.join(of)}) USING parquet"
            for name, of in tables.items()
        },
        {int(number): query.rstrip().rstrip(";") for number, query in queries.items()},
    )


def _write(file: Path) -> None:
    packages = BUILD / f"duckdb-{VERSION}"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages)]
    if not packages.exists():
        subprocess.run([*pip, *PACKAGES], check=True)
    subprocess.run(
        [sys.executable, "-c", WRITE, str(file)], check=True, env={"PYTHONPATH": str(packages)}
    )
