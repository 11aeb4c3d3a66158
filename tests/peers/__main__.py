"""Run the window statements of other systems' own test suites through Spark with Muntin.

    python -m tests.peers FOLDER [duckdb sqlite postgres datafusion spark] [--refused] [--write]

FOLDER has the suites: `duckdb/` is DuckDB's test/sql/window, `sqlite/` SQLite's test/window*.test,
`postgres/` has window.sql, window.out and tenk.data of PostgreSQL's src/test/regress, `datafusion/`
is DataFusion's sqllogictest/test_files, `spark/` has the files of spark-sql's test jar (sql-tests,
test-data). DataFusion's tables are in `data/core`, its core/tests/data, and `data/testing`,
arrow-testing's data/csv. The Python packages of DuckDB and DataFusion (`pip install datafusion`)
compute the results of their statements. Spark without Muntin runs the statements of its own suite.
The other suites contain the results. `--write` writes the table into docs/suites.md.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib
import random
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import duckdb
import muntin as mt
import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from tests.peers import dialect, statements
from tests.peers.compared import equal
from tests.peers.statements import Statement, is_query

SUITES = ["duckdb", "sqlite", "postgres", "datafusion", "spark"]
MUNTIN = "spark.muntin.over.enabled"
MOST_ROWS = 200_000
MOST_RESULTS = 20_000
# The columns of PostgreSQL's tenk1, and the values of its int4_tbl.
INTEGERS = (
    *("unique1", "unique2", "two", "four", "ten", "twenty", "hundred", "thousand"),
    *("twothousand", "fivethous", "tenthous", "odd", "even"),
)
STRINGS = ("stringu1", "stringu2", "string4")
INT4 = "(0), (123456), (-123456), (2147483647), (-2147483647)"
PAGE = Path(__file__).parents[2] / "docs" / "suites.md"


class Peer(Protocol):
    def clear(self) -> None: ...
    def run(self, statement: Statement) -> list[list[Any]] | None: ...
    def tables(self) -> dict[str, Any]: ...
    def in_spark(self, text: str) -> str: ...
    def needs(self, text: str, error: str | None = None) -> str | None: ...


class Other:
    """A system that is not Spark."""

    def needs(self, text: str, error: str | None = None) -> str | None:
        if error is None:
            return dialect.needs(text) or dialect.differs(text)
        return dialect.needs(text, error)


class DuckDB(Other):
    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._here = duckdb.connect()
        self._here.execute("SET threads = 1; SET default_null_order = 'nulls_last'")

    def run(self, statement: Statement) -> list[list[Any]] | None:
        try:
            return [list(row) for row in self._here.execute(statement.text).fetchall()]
        except duckdb.Error:
            return None

    def in_spark(self, text: str) -> str:
        # Some of DuckDB's tests change this setting.
        said = self._here.execute("SELECT current_setting('default_null_order')").fetchall()
        if "last" in str(said[0][0]).lower():
            text = dialect.nulls_last(text, first_where_descending=False)
        return dialect.translated(text)

    def tables(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        names = self._here.execute("SELECT table_name FROM information_schema.tables").fetchall()
        for (name,) in names:
            with contextlib.suppress(duckdb.Error):
                (count,) = self._here.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0]
                if count <= MOST_ROWS:
                    found[name] = self._table(name)
        return found

    def _table(self, name: str) -> Any:
        columns = self._here.execute(f'DESCRIBE "{name}"').fetchall()
        # Intervals and times of day are not copied to Spark.
        kept = [c[0] for c in columns if not re.search(r"INTERVAL|^TIME( |$)|TIME WITH|MAP", c[1])]
        wide = {"HUGEINT", "UHUGEINT", "UBIGINT"}
        said = [
            f'CAST("{c[0]}" AS DECIMAL(38, 0)) AS "{c[0]}"' if c[1] in wide else f'"{c[0]}"'
            for c in columns
            if c[0] in kept
        ]
        return self._here.execute(f'SELECT {", ".join(said)} FROM "{name}"').to_arrow_table()


class SQLite(Other):
    """SQLite: its tables; the suite contains the results."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._here = sqlite3.connect(":memory:")

    def run(self, statement: Statement) -> list[list[Any]] | None:
        if not is_query(statement.text):
            with contextlib.suppress(sqlite3.Error, sqlite3.Warning):
                self._here.execute(statement.text)
        rows: Any = statement.rows
        return rows  # type: ignore[no-any-return]

    def in_spark(self, text: str) -> str:
        return dialect.translated(text)

    def tables(self) -> dict[str, Any]:
        names = self._here.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {name: self._table(name) for (name,) in names.fetchall()}

    def _table(self, name: str) -> Any:
        rows = self._here.execute(f'SELECT * FROM "{name}"')
        names = [column[0] for column in rows.description]
        values = rows.fetchall()
        columns = [[row[i] for row in values] for i in range(len(names))]
        return pa.table(dict(zip(names, map(self._column, columns), strict=True)))

    @staticmethod
    def _column(values: list[Any]) -> Any:
        # In SQLite only values have types: a column has the common type of its values.
        kinds = {type(value) for value in values} - {type(None)}
        if kinds <= {int}:
            return pa.array(values, pa.int64())
        if kinds <= {int, float}:
            return pa.array([None if v is None else float(v) for v in values], pa.float64())
        if kinds == {bytes}:
            return pa.array(values, pa.binary())
        return pa.array([None if v is None else str(v) for v in values], pa.string())


class PostgreSQL(DuckDB):
    """PostgreSQL: its tables, created in DuckDB; the suite contains the results."""

    folder = Path()

    def clear(self) -> None:
        super().clear()
        columns = [f"{c} INTEGER" for c in INTEGERS] + [f"{c} VARCHAR" for c in STRINGS]
        self._here.execute(f"CREATE TABLE tenk1 ({', '.join(columns)})")
        self._here.execute(f"COPY tenk1 FROM '{self.folder / 'tenk.data'}' (DELIMITER '\t')")
        self._here.execute("CREATE TABLE int4_tbl (f1 INTEGER)")
        self._here.execute(f"INSERT INTO int4_tbl VALUES {INT4}")

    def run(self, statement: Statement) -> list[list[Any]] | None:
        if not statement.of_query:
            # In DuckDB only doubles have an infinity.
            made = re.sub(r"\bnumeric\b", "double", statement.text)
            super().run(replace(statement, text=made))
        rows: Any = statement.rows
        return None if rows is None else [[None if c == "" else c for c in row] for row in rows]

    def in_spark(self, text: str) -> str:
        return dialect.translated(dialect.nulls_last(text, first_where_descending=True))


class DataFusion(Other):
    folder = Path()

    def __init__(self) -> None:
        self._package: Any = importlib.import_module("datafusion")
        # The tables that its statements write are deleted with the object.
        self._scratch = tempfile.TemporaryDirectory()
        self.clear()

    def clear(self) -> None:
        config = self._package.SessionConfig().with_target_partitions(1)
        self._here = self._package.SessionContext(config.with_information_schema(True))

    def run(self, statement: Statement) -> list[list[Any]] | None:
        text = statement.text.replace("../core/tests/data", str(self.folder / "core"))
        text = text.replace("../../testing/data/csv", str(self.folder / "testing"))
        text = text.replace("test_files/scratch", self._scratch.name)
        try:
            found: list[list[Any]] = []
            # Some of its tables are infinite.
            for batch in self._here.sql(text).execute_stream():
                columns = [column.to_pylist() for column in batch.to_pyarrow().columns]
                found += map(list, zip(*columns, strict=True))
                if len(found) > MOST_RESULTS:
                    break
        except Exception:  # of many types
            return None
        return found

    def in_spark(self, text: str) -> str:
        return dialect.translated(dialect.nulls_last(text, first_where_descending=True))

    def tables(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in self._here.catalog().schema().names():
            # A table's file may be missing, or have a type that pyarrow does not support.
            with contextlib.suppress(Exception):
                rows = self._here.sql(f'SELECT * FROM "{name}" LIMIT {MOST_ROWS}').to_arrow_table()
                columns = {
                    column: rows[column].cast(self._kind(rows.schema.field(column).type))
                    for column in rows.column_names
                }
                found[name] = pa.table(columns)
        return found

    @staticmethod
    def _kind(kind: Any) -> Any:
        # Spark does not have unsigned numbers, and has one type of strings.
        signed = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
        if kind == pa.uint64():
            return pa.decimal128(38, 0)
        if kind in (pa.string_view(), pa.large_string()) or pa.types.is_dictionary(kind):
            return pa.string()
        return signed.get(kind, kind)


class SparkItself:
    """Spark without Muntin: statements with a window must have equal results, or fail as well."""

    folder = Path()

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.clear()

    def clear(self) -> None:
        self._spark.sql("USE spark_catalog.default")
        for table in self._spark.catalog.listTables():
            kind = "VIEW" if table.isTemporary or table.tableType == "VIEW" else "TABLE"
            self._spark.sql(f"DROP {kind} IF EXISTS `{table.name}`")
        # The tables of the Spark tests.
        columns = ", ".join([f"{c} int" for c in INTEGERS] + [f"{c} string" for c in STRINGS])
        data = self.folder / "test-data" / "postgresql"
        for name, file in [("onek", "onek.data"), ("tenk1", "tenk.data")]:
            rows = self._spark.read.schema(columns).option("sep", "\t").csv(str(data / file))
            rows.coalesce(1).createOrReplaceTempView(name)
        self._spark.sql(
            f"CREATE OR REPLACE TEMP VIEW int4_tbl AS SELECT * FROM VALUES {INT4} AS t(f1)"
        )

    def run(self, statement: Statement) -> list[list[Any]] | None:
        if is_query(statement.text) and not statement.has_window:
            return None
        self._spark.conf.set(MUNTIN, "false")
        try:
            return collected(self._spark, statement.text)
        except Exception:  # of many types
            return None
        finally:
            self._spark.conf.set(MUNTIN, "true")

    def tables(self) -> dict[str, Any]:
        return {}  # The tables are already in Spark.

    def in_spark(self, text: str) -> str:
        return text

    def needs(self, text: str, error: str | None = None) -> str | None:
        del text, error
        return None


def session() -> SparkSession:
    builder = SparkSession.builder.master("local[1]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.memory": "2g",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.muntin.over.permissive": "true",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(),
    }.items():
        builder = builder.config(name, value)
    spark = mt.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def first_line(error: Exception) -> str:
    said = re.sub(r"\s+", " ", str(error))
    found = re.match(r"\[([A-Z0-9_.]+)\]\s*(.*)", said)
    return f"{found[1]}: {found[2][:150]}" if found else said[:150]


def load(spark: SparkSession, tables: dict[str, Any], shuffled: int | None = None) -> None:
    for table, rows in tables.items():
        if shuffled is not None:
            order = list(range(rows.num_rows))
            random.Random(shuffled).shuffle(order)
            rows = rows.take(pa.array(order, pa.int64()))
        with contextlib.suppress(Exception):
            spark.createDataFrame(rows).createOrReplaceTempView(table)


def collected(spark: SparkSession, text: str) -> list[list[Any]]:
    return [list(row) for row in spark.sql(text).collect()]


def in_rows(wanted: list[list[Any]], found: list[list[Any]]) -> list[list[Any]]:
    """Divide SQLite's list of values into rows with as many columns as Spark's rows."""
    if not found or len(wanted) != 1 or len(wanted[0]) == len(found[0]):
        return [] if wanted == [[]] else wanted
    width = len(found[0])
    return [wanted[0][i : i + width] for i in range(0, len(wanted[0]), width)]


def outcome(
    spark: SparkSession,
    statement: Statement,
    wanted: list[list[Any]],
    tables: dict[str, Any],
    peer: Peer,
) -> tuple[str, str]:
    """Return the outcome of a statement, and the reason."""
    text = peer.in_spark(statement.text)
    try:
        found = collected(spark, text)
    except Exception as error:
        own = peer.needs(statement.text, str(error))
        return ("own", own) if own else ("refused", first_line(error))
    if equal(found, in_rows(wanted, found)):
        return "equal", ""
    try:
        for seed in (1, 2, 3):
            load(spark, tables, shuffled=seed)
            if not equal(collected(spark, text), found):
                return "undetermined", "another order of the table's rows gives another result"
    except Exception as error:
        return "other", first_line(error)
    finally:
        load(spark, tables)
    why = peer.needs(statement.text)
    shown = f"found {sorted(map(str, found))[:5]}, wanted {sorted(map(str, wanted))[:5]}"
    return ("own", why) if why else ("other", shown)


def run(spark: SparkSession, name: str, peer: Peer, folder: Path, shown: bool) -> dict[str, int]:
    counts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    tables: dict[str, Any] = {}
    fresh = False
    seen: set[str] = set()
    for statement in getattr(statements, name)(folder):
        if statement is None:
            peer.clear()
            fresh = False
            continue
        wanted = peer.run(statement)
        fresh = fresh and is_query(statement.text)
        key = f"{statement.file} {statement.text}"
        known = wanted is not None and len(wanted) <= MOST_RESULTS
        if not statement.has_window or not known or key in seen:
            continue
        assert wanted is not None
        seen.add(key)
        if not fresh:
            tables = peer.tables()
            load(spark, tables)
            fresh = True
        what, why = outcome(spark, statement, wanted, tables, peer)
        counts["statements"] += 1
        counts[what] += 1
        if what != "equal":
            reasons[f"{what}: {why[:70]}"] += 1
        if shown and what in ("refused", "other"):
            print(f"--- {what} {statement.file}\n{statement.text}\n    {why}")
    print(name, dict(counts), flush=True)
    for reason, count in reasons.most_common(60):
        print(f"   {count:4} {reason}")
    return dict(counts)


HEAD = """| suite | window statements | equal | other result | refused | \
need their own dialect | undetermined |
|---|---|---|---|---|---|---|
"""


def table(counts: dict[str, dict[str, int]]) -> str:
    names = {
        "duckdb": "DuckDB",
        "sqlite": "SQLite",
        "postgres": "PostgreSQL",
        "datafusion": "DataFusion",
        "spark": "Spark",
    }
    fields = ("statements", "equal", "other", "refused", "own", "undetermined")
    rows = (
        f"| {names[name]} | {' | '.join(str(found.get(field, 0)) for field in fields)} |\n"
        for name, found in counts.items()
    )
    return HEAD + "".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("suites", nargs="*", default=SUITES)
    parser.add_argument("--refused", action="store_true", help="show what is refused, or other")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    given = parser.parse_args()
    PostgreSQL.folder = given.folder / "postgres"
    DataFusion.folder = given.folder / "data"
    SparkItself.folder = given.folder / "spark"
    spark = session()
    peers: dict[str, Callable[[], Peer]] = {
        "duckdb": DuckDB,
        "sqlite": SQLite,
        "postgres": PostgreSQL,
        "datafusion": DataFusion,
        "spark": lambda: SparkItself(spark),
    }
    counts = {
        name: run(spark, name, peers[name](), given.folder / name, given.refused)
        for name in given.suites
    }
    print(table(counts))
    if given.write:
        text = PAGE.read_text()
        begin, end = "<!-- suites, by tests/peers -->\n", "<!-- end -->"
        before, rest = text.split(begin)
        behind = rest.split(end, 1)[1]
        PAGE.write_text(f"{before}{begin}{table(counts)}{end}{behind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
