"""The dbt package of the folder dbt/: first and later runs, full refreshes, changed columns.

`make test-dbt` runs it, in an environment with dbt. dbt-spark creates the session of all tests from
the settings of a profile. Each test has a project and a schema.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import muntin as mt
import pyspark
import pytest
from installed import ROOT
from muntin import _sparks
from pyspark.sql import SparkSession
from test_beside import DELTA, EXTENSIONS, SETTINGS

pytestmark = [
    pytest.mark.dbt,
    pytest.mark.packaging,
    pytest.mark.filterwarnings("ignore"),  # warnings of dbt
]

PACKAGE = ROOT / "dbt"
DELTA_PACKAGE = DELTA.get(_sparks.minor_of(pyspark.__version__))
needs_delta = pytest.mark.skipif(DELTA_PACKAGE is None, reason="no jar of Delta for this Spark")

FORMATS = [
    pytest.param("file_format='parquet', partition_by='part'", id="parquet"),
    pytest.param("file_format='orc', partition_by=['part', 'k']", id="orc"),
    pytest.param("file_format='delta'", id="delta", marks=needs_delta),
    pytest.param("file_format='delta', partition_by='k'", id="delta-part", marks=needs_delta),
]
MANY_LINES = re.MULTILINE | re.DOTALL
PARQUET = "file_format='parquet', partition_by='part'"

QUERY = """
    select t, batch, part, k,
        avg(x) over (partition by k order by t range 3 preceding) as mean,
        sliding(sum(x), 2, x > 3) over (partition by k order by t) as two
    from SCHEMA.readings
"""
NEW = (
    "select * from {{ target.schema }}.readings where batch >= (select max(batch) from {{ this }})"
)


@dataclass(frozen=True)
class Project:
    """A dbt project with the package, in a schema of its own."""

    folder: Path
    schema: str

    def dbt(self, *arguments: str) -> tuple[bool, str]:
        """Run a command, and return whether it succeeds, and what it logs."""
        from dbt.cli.main import dbtRunner

        lines: list[str] = []
        command = [*arguments, "--project-dir", str(self.folder), "--profiles-dir"]
        runner = dbtRunner(callbacks=[lambda event: lines.append(str(event.info.msg))])
        done = runner.invoke([*command, str(self.folder)])
        if done.exception is not None:
            raise done.exception
        return done.success, "\n".join(lines)

    def run(self, *arguments: str) -> str:
        success, log = self.dbt("run", *arguments)
        assert success, log
        return log

    def fails(self, *arguments: str) -> str:
        success, log = self.dbt("run", *arguments)
        assert not success, log
        return log

    def sql(self, text: str) -> str:
        return text.replace("SCHEMA", self.schema)

    def model(self, settings: str, query: str = QUERY, name: str = "windows") -> None:
        config = f"{{{{ config(materialized='muntin_windows', full=false, {settings}) }}}}"
        (self.folder / "models" / f"{name}.sql").write_text(f"{config}\n{self.sql(query)}")


def settings_of(folder: Path) -> dict[str, str]:
    metastore = f"jdbc:derby:;databaseName={folder}/metastore;create=true"
    settings = {
        "spark.master": "local[2]",
        "spark.jars": str(mt.jar()),
        "spark.sql.extensions": EXTENSIONS["muntin"],
        "spark.hadoop.javax.jdo.option.ConnectionURL": metastore,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if DELTA_PACKAGE is not None:
        settings |= SETTINGS["delta"] | {
            "spark.jars.packages": DELTA_PACKAGE,
            "spark.sql.extensions": f"{EXTENSIONS['delta']},{EXTENSIONS['muntin']}",
        }
    return settings


def project_in(folder: Path, schema: str, settings: dict[str, str]) -> Project:
    (folder / "models").mkdir(exist_ok=True)
    project = {
        "name": "tested",
        "profile": "shop",
        "flags": {"send_anonymous_usage_stats": False},
    }
    output = {
        "type": "spark",
        "method": "session",
        "host": "none",
        "schema": schema,
        "threads": 1,
        "server_side_parameters": settings,
    }
    files = {
        "dbt_project.yml": project,
        "packages.yml": {"packages": [{"local": str(PACKAGE)}]},
        "profiles.yml": {"shop": {"target": "dev", "outputs": {"dev": output}}},
    }
    for name, content in files.items():
        path = folder / name
        if name != "dbt_project.yml" or not path.exists():
            path.write_text(json.dumps(content))  # JSON is YAML
    made = Project(folder, schema)
    assert made.dbt("deps")[0]
    return made


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return settings_of(tmp_path_factory.mktemp("session"))


@pytest.fixture(scope="module")
def session(
    settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """Return the session that dbt-spark has created."""
    project = project_in(tmp_path_factory.mktemp("first"), "default", settings)
    success, log = project.dbt("show", "--inline", "select 1 as one")
    assert success, log
    spark = SparkSession.builder.getOrCreate()
    yield spark
    spark.stop()


@pytest.fixture
def project(session: SparkSession, settings: dict[str, str], tmp_path: Path) -> Project:
    schema = re.sub(r"\W", "_", tmp_path.name)
    made = project_in(tmp_path, schema, settings)
    session.sql(f"CREATE SCHEMA {schema}")
    session.sql(f"CREATE TABLE {schema}.readings (k INT, t BIGINT, x DOUBLE, batch INT, part INT)")
    first_rows(session, made)
    return made


def add(spark: SparkSession, project: Project, rows: str) -> None:
    spark.sql(f"INSERT INTO {project.schema}.readings {rows}")


def finds_changes(spark: SparkSession) -> bool:
    usage = spark.sql("DESCRIBE FUNCTION EXTENDED `muntin.refresh`").collect()
    return any("full" in row[0] for row in usage)


def first_rows(spark: SparkSession, project: Project) -> None:
    add(spark, project, "SELECT id % 40, id, id * 37 % 101 / 7, id, id % 5 FROM range(800)")


def late_rows(spark: SparkSession, project: Project) -> None:
    add(spark, project, "VALUES (1, 102, 0.1, 800, 2), (3, 799, 0.2, 800, 4), (77, 5, 0.3, 800, 0)")


def rows(spark: SparkSession, text: str, columns: list[str]) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.sql(text).select([f"`{c}`" for c in columns]).collect()))


def assert_fresh(
    spark: SparkSession, project: Project, query: str = QUERY, name: str = "SCHEMA.windows"
) -> None:
    table, wanted = project.sql(f"SELECT * FROM {name}"), project.sql(query)
    columns = spark.sql(wanted).columns
    assert sorted(spark.sql(table).columns) == sorted(columns)
    assert rows(spark, table, columns) == rows(spark, wanted, columns)


def counts(log: str) -> dict[str, str]:
    """Return the counts that a refresh logs."""
    (line,) = re.findall(r"refresh of \S+: ([^(\n]*\w)", log)
    return dict(each.split(" ") for each in line.split(", "))


@pytest.mark.parametrize("table", FORMATS)
def test_runs(session: SparkSession, project: Project, table: str) -> None:
    project.model(f'{table}, changes="{NEW}"')
    assert "refresh of" not in project.run()
    assert_fresh(session, project)
    late_rows(session, project)
    assert 0 < int(counts(project.run())["inserted"]) < 100
    assert_fresh(session, project)
    project.run()
    assert_fresh(session, project)
    session.sql(f"INSERT INTO {project.schema}.windows SELECT * FROM {project.schema}.windows")
    project.run("--full-refresh")
    assert_fresh(session, project)
    late_rows(session, project)
    project.run()
    assert_fresh(session, project)


def test_the_example(
    session: SparkSession, settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not finds_changes(session):
        pytest.skip("this refresh requires changes")
    monkeypatch.setenv("MUNTIN_JAR", str(mt.jar()))
    folder = shutil.copytree(PACKAGE / "example", tmp_path / "example")
    model = (folder / "models/weeks.sql").read_text()
    readme = (PACKAGE / "README.md").read_text()
    assert f"```jinja\n{model}```" in readme
    example = project_in(folder, "shop", settings)
    log = ""
    for command, printed in re.findall(
        r"^    dbt ([^\n]*)$|^```text\n(.*?)^```", readme, MANY_LINES
    ):
        if command:
            success, log = example.dbt(*shlex.split(command))
            assert success, log
        else:
            assert printed.strip() in log


def test_updates_and_deletes(session: SparkSession, project: Project) -> None:
    changes = "select * from {{ ref('changed_rows') }}"
    depends = "-- depends_on: {{ ref('changed_rows') }}"
    project.model(f'{PARQUET}, changes="{changes}"', f"{depends}\n{QUERY}")
    (project.folder / "models/changed_rows.sql").write_text(
        project.sql("{{ config(materialized='view') }} select * from SCHEMA.changed")
    )
    session.sql(f"CREATE TABLE {project.schema}.changed AS SELECT * FROM {project.schema}.readings")
    project.run()
    readings = f"{project.schema}.readings"
    before = session.table(readings).where("t % 70 = 3").localCheckpoint()
    updated = before.where("k <> 3").selectExpr("k", "t + 1 AS t", "x - 1 AS x", "batch", "part")
    now = session.table(readings).where("t % 70 <> 3").union(updated).localCheckpoint()
    now.write.insertInto(readings, overwrite=True)
    before.union(updated).write.insertInto(f"{project.schema}.changed", overwrite=True)
    project.run()
    assert_fresh(session, project)


def test_a_join_names_the_changed_source(session: SparkSession, project: Project) -> None:
    query = """
        select k, t, x, batch, part, half,
            sum(x * factor) over (partition by k order by t rows 2 preceding) as s
        from SCHEMA.readings join SCHEMA.factors using (k)
    """
    session.sql(
        f"CREATE TABLE {project.schema}.factors AS SELECT int(id) AS k, id * 0.1D AS factor, "
        "id % 2 AS half FROM range(30)"
    )
    project.model(f'{PARQUET}, changes="{NEW}"', query)
    assert "MUNTIN_REFRESH_SOURCE" in project.fails()
    named = "changed_source='{{ target.schema }}.readings'"
    project.model(f'{PARQUET}, changes="{NEW}", {named}', query)
    project.run()
    late_rows(session, project)
    project.run()
    assert_fresh(session, project, query)


def test_alias_schema_and_names(session: SparkSession, project: Project) -> None:
    query = QUERY.replace("as mean", "as `the mean`") + " -- the end"
    project.model(f"""{PARQUET}, alias='select', schema='other', changes="{NEW}" """, query)
    with (project.folder / "dbt_project.yml").open() as file:
        settings = json.load(file)
    settings["models"] = {"+quoting": {"identifier": True}}
    settings["quoting"] = {"identifier": True}
    (project.folder / "dbt_project.yml").write_text(json.dumps(settings))
    project.run()
    late_rows(session, project)
    project.run()
    assert_fresh(session, project, query.replace("-- the end", ""), "SCHEMA_other.`select`")


def test_is_incremental_is_false(session: SparkSession, project: Project) -> None:
    lookback = "{% if is_incremental() %} where t > 190 {% endif %}"
    project.model(f'{PARQUET}, changes="{NEW}"', QUERY + lookback)
    project.run()
    late_rows(session, project)
    project.run()
    assert_fresh(session, project)


ADDED = QUERY.replace("batch,", "batch, x,")
REMOVED = QUERY.replace("select t,", "select")


@pytest.mark.parametrize("change", ["ignore", "fail", "append_new_columns", "sync_all_columns"])
def test_changed_columns(session: SparkSession, project: Project, change: str) -> None:
    settings = f"""{PARQUET}, on_schema_change='{change}', changes="{NEW}" """
    project.model(settings)
    project.run()
    late_rows(session, project)
    project.model(settings, ADDED)
    if change == "ignore":
        project.run()
        assert_fresh(session, project)
        project.model(settings, REMOVED)
        assert "MUNTIN_REFRESH_TARGET_COLUMNS" in project.fails()
    elif change == "fail":
        assert "out of sync" in project.fails()
        project.run("--full-refresh")
        assert_fresh(session, project, ADDED)
    else:
        assert "refresh of" not in project.run()
        assert_fresh(session, project, ADDED)
        project.model(settings, REMOVED)
        if change == "append_new_columns":
            assert "does not have the column" in project.fails()
        else:
            project.run()
            assert_fresh(session, project, REMOVED)


def test_first_runs_reject_what_later_runs_cannot_do(project: Project) -> None:
    project.model(f'file_format="parquet", changes="{NEW}"')
    assert "requires file_format delta or iceberg" in project.fails()
    of_all = "select *, sum(x) over (order by t) as s from SCHEMA.readings"
    project.model(f'{PARQUET}, changes="{NEW}"', of_all)
    assert "MUNTIN_REFRESH_WITHOUT_KEYS" in project.fails()


@pytest.mark.parametrize("table", FORMATS)
def test_muntin_finds_the_changes(session: SparkSession, project: Project, table: str) -> None:
    if not finds_changes(session):
        pytest.skip("this refresh requires changes")
    session.sql(f"DROP TABLE {project.schema}.readings")
    using = "delta TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    session.sql(
        f"CREATE TABLE {project.schema}.readings (k INT, t BIGINT, x DOUBLE, batch INT, part INT) "
        f"USING {using if 'delta' in table else 'parquet'}"
    )
    first_rows(session, project)
    project.model(table)
    assert counts(project.run())["full"] == "True"
    assert_fresh(session, project)
    late_rows(session, project)
    assert counts(project.run())["full"] == "False"
    assert_fresh(session, project)
    assert counts(project.run())["inserted"] == "0"
    project.model(table, ADDED)
    assert "MUNTIN_REFRESH_OF_OTHER_QUERY" in project.fails()
    project.run("--full-refresh")
    assert_fresh(session, project, ADDED)


@needs_delta
def test_descriptions_and_constraints(session: SparkSession, project: Project) -> None:
    if not finds_changes(session):
        pytest.skip("this refresh requires changes")
    query = "select k, t, sum(x) over (partition by k order by t) as s from SCHEMA.readings"
    project.model("file_format='delta', persist_docs={'columns': true}", query)
    columns = [
        {"name": "k", "data_type": "int", "description": "the key"},
        {"name": "t", "data_type": "bigint"},
        {"name": "s", "data_type": "double"},
    ]
    check = {"type": "check", "name": "after_0", "expression": "t >= 0"}
    model = {
        "name": "windows",
        "config": {"contract": {"enforced": True}},
        "constraints": [check],
        "columns": columns,
    }
    (project.folder / "models/windows.yml").write_text(json.dumps({"models": [model]}))
    project.run()
    late_rows(session, project)
    assert counts(project.run())["full"] == "False"
    assert_fresh(session, project, query)
    assert session.table(f"{project.schema}.windows").schema["k"].metadata["comment"] == "the key"
