"""Muntin with table formats and Comet, which have their own extensions, in one session.

`make test-beside` runs it. Spark downloads their jars from Maven Central, so it is not part of
`make test`. A format without a jar for this Spark is skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import muntin
import pyspark
import pytest
from installed import ROOT
from muntin import _sparks

pytestmark = [pytest.mark.beside, pytest.mark.packaging]

MINOR = _sparks.minor_of(pyspark.__version__)
# The newest versions on Maven Central, for each minor version of Spark.
DELTA = {
    "4.0": "io.delta:delta-spark_4.0_2.13:4.3.1",
    "4.1": "io.delta:delta-spark_4.1_2.13:4.3.1",
    "4.2": "io.delta:delta-spark_4.2_2.13:4.4.0",
}
ICEBERG = {
    "4.0": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
    "4.1": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
}
COMET = {"4.1": "org.apache.datafusion:comet-spark-spark4.1_2.13:1.2.0"}
EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "muntin": "org.apache.spark.sql.muntin.MuntinExtensions",
}
SETTINGS = {
    "delta": {
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
    },
    "iceberg": {
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": "{folder}/lake",
    },
}

COMET_SETTINGS = {
    "spark.plugins": "org.apache.spark.CometPlugin",
    "spark.shuffle.manager": ("org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager"),
    "spark.memory.offHeap.enabled": "true",
    "spark.memory.offHeap.size": "1g",
}

PROGRAM = """
import muntin as mt
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]")
for name, value in {settings!r}.items():
    builder = builder.config(name, value)
spark = mt.configure(builder).getOrCreate()

QUERY = '''
    SELECT k, at, x, round(sum(x) OVER w, 6) AS total, percentile(x, 0.5) OVER w AS middle,
           max(x) OVER (PARTITION BY k ORDER BY at ROWS 5 PRECEDING) AS highest
    FROM {{table}}
    WINDOW w AS (PARTITION BY k ORDER BY at RANGE BETWEEN 20 PRECEDING AND CURRENT ROW)
'''
OWN = '''
    SELECT k, at, sliding(avg(x), 3, x > 50) OVER (PARTITION BY k ORDER BY at) AS m FROM {{table}}
'''


def rows(text):
    return sorted(map(tuple, spark.sql(text).collect()))


def plan(text):
    return spark.sql("EXPLAIN " + text).first()[0]


def check(table, format):
    # Writes as in practice: rows are inserted, updated and deleted.
    spark.sql(
        f"CREATE TABLE {{table}} (k BIGINT, at BIGINT, x DOUBLE) USING {{format}} "
        "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
    )
    made = "SELECT id % 7, id, CAST(id * 37 % 101 AS DOUBLE) FROM range(0, 2000)"
    spark.sql(f"INSERT INTO {{table}} {{made}}")
    spark.sql(f"UPDATE {{table}} SET x = 1000 WHERE at % 100 = 3")
    spark.sql(f"DELETE FROM {{table}} WHERE at % 50 = 1")
    spark.sql(f'''
        MERGE INTO {{table}} t
        USING (SELECT k, at, avg(x) OVER (PARTITION BY k ORDER BY at ROWS 2 PRECEDING) AS mean
               FROM {{table}}) s
        ON t.k = s.k AND t.at = s.at
        WHEN MATCHED AND t.at < 300 THEN UPDATE SET x = s.mean
        WHEN NOT MATCHED THEN INSERT (k, at, x) VALUES (s.k, s.at, s.mean)
    ''')
    spark.table(table).write.parquet(f"{folder}/{{format}}.parquet")
    copy = f"parquet.`{folder}/{{format}}.parquet`"
    for query in (QUERY, OWN):
        query = query.replace("{{table}}", "{{0}}")
        assert "MuntinWindow" in plan(query.format(table)), plan(query.format(table))
        assert rows(query.format(table)) == rows(query.format(copy))
    query = QUERY.replace("{{table}}", "{{0}}").format(table)
    found = rows(query)
    spark.conf.set("spark.muntin.over.enabled", "false")
    assert "MuntinWindow" not in plan(query)
    assert rows(query) == found and len(found) == 1960, len(found)
    spark.conf.set("spark.muntin.over.enabled", "true")


def check_refresh(table, format):
    spark.sql(
        f"CREATE TABLE {{table}} (k BIGINT, at BIGINT, x DOUBLE) USING {{format}} "
        "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
    )
    made = "SELECT id % 7, id, CAST(id * 37 % 101 AS DOUBLE) FROM range(900)"
    spark.sql(f"INSERT INTO {{table}} {{made}}")
    query = OWN.replace("{{table}}", "{{0}}").format(table)
    sums = (
        ", sum(x) OVER (PARTITION BY k ORDER BY at RANGE 30 PRECEDING) AS s, "
        "count(x) OVER (PARTITION BY k ORDER BY at) AS c FROM"
    )
    query = query.replace("FROM", sums)
    target = f"{{table}}_sums"
    spark.sql(f"CREATE TABLE {{target}} USING {{format}} AS {{query}}")
    for change in ("at % 100 = 3", "at > 890", "k = 4 AND at < 50"):
        before = spark.sql(f"SELECT * FROM {{table}} WHERE {{change}}").collect()
        spark.sql(f"UPDATE {{table}} SET x = x + 0.1, at = at + 1 WHERE {{change}}")
        spark.sql(f"DELETE FROM {{table}} WHERE x > 100")
        changed = spark.createDataFrame(before, "k BIGINT, at BIGINT, x DOUBLE")
        moved = changed.selectExpr("k", "at + 1 AS at", "x + 0.1 AS x")
        done = mt.refresh(spark.sql(query), target, changed.union(moved), full=False).first()
        assert done.inserted > 0, done
        assert rows(f"SELECT * FROM {{target}}") == rows(query), change
    check_followed(table, format, query, target)


def check_followed(table, format, query, target):
    def refreshed(**options):
        done = mt.refresh(spark.sql(query), target, **options).first()
        assert rows(f"SELECT * FROM {{target}}") == rows(query)
        return done

    # No position is stored.
    assert refreshed().full
    for change in (
        "INSERT INTO {{0}} VALUES (2, 451, 1.5), (3, 2000, 2.5)",
        "UPDATE {{0}} SET x = x + 0.1, at = at + 1 WHERE at BETWEEN 700 AND 705",
        "DELETE FROM {{0}} WHERE k = 5 AND at < 40",
        "UPDATE {{0}} SET k = k + 1 WHERE at = 300",
    ):
        spark.sql(change.format(table))
        spark.sql(f"DELETE FROM {{table}} WHERE at = 13")
        dry = mt.refresh(spark.sql(query), target, full=False, dry_run=True).first()
        done = refreshed(full=False)
        assert done == dry and not done.full and done.inserted < 800, done
        assert refreshed().keys == 0
    check_at_once(table, query, target)
    # Maintenance does not change the results.
    if format == "delta":
        spark.sql(f"OPTIMIZE {{target}}")
    spark.sql(f"INSERT INTO {{table}} VALUES (2, 460, 1.5)")
    assert not refreshed(full=False).full
    spark.sql(f"DELETE FROM {{target}} WHERE at = 20")
    assert condition(query, target) == "MUNTIN_REFRESH_TARGET_OVERWRITTEN"
    assert refreshed(full=True).full
    other = query.replace("avg(", "max(")
    assert other != query
    assert condition(other, target) == "MUNTIN_REFRESH_OF_OTHER_QUERY"
    own = "SELECT k, at, m, sum(s) OVER (PARTITION BY k ORDER BY at) AS s, c FROM {{0}}"
    assert condition(own.format(target), target) == "MUNTIN_REFRESH_OF_OWN_TARGET"
    if format == "delta":
        spark.sql(f"ALTER TABLE {{table}} SET TBLPROPERTIES (delta.enableChangeDataFeed = false)")
        spark.sql(f"INSERT INTO {{table}} VALUES (2, 470, 1.5)")
        assert condition(query, target) == "MUNTIN_REFRESH_UNREADABLE_CHANGES"


def check_at_once(table, query, target):
    from concurrent.futures import ThreadPoolExecutor

    def run(_):
        try:
            return mt.refresh(spark.sql(query), target, full=False).first()
        except Exception as e:
            return e

    for at in (2001, 2002):
        spark.sql(f"INSERT INTO {{table}} VALUES (3, {{at}}, 2.5), (4, {{at}}, 3.5)")
        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(run, range(2)))
        assert any(not isinstance(outcome, Exception) for outcome in outcomes), outcomes
        mt.refresh(spark.sql(query), target, full=False).first()
        assert rows(f"SELECT * FROM {{target}}") == rows(query)


def condition(query, target):
    try:
        mt.refresh(spark.sql(query), target, full=False)
    except Exception as e:
        return e.getCondition()
    return None


def check_stream(table, format):
    stream = spark.readStream.table(table).withColumn("t", time()).withWatermark("t", "0 seconds")
    stream.createOrReplaceTempView("arriving")
    spark.conf.set("spark.muntin.stream.drain", "true")
    text = "SELECT k, t, sum(at) OVER (PARTITION BY k ORDER BY t ROWS 5 PRECEDING) AS s FROM {{0}}"
    spark.sql(f"CREATE TABLE {{table}}_results (k BIGINT, t TIMESTAMP, s BIGINT) USING {{format}}")
    query = (
        spark.sql(text.format("arriving")).writeStream.trigger(availableNow=True)
        .option("checkpointLocation", f"{folder}/{{format}}.checkpoint")
        .toTable(f"{{table}}_results", format=format)
    )
    query.awaitTermination()
    spark.table(table).withColumn("t", time()).createOrReplaceTempView("there")
    assert rows(f"SELECT * FROM {{table}}_results") == rows(text.format("there"))
    spark.conf.unset("spark.muntin.stream.drain")


def time():
    from pyspark.sql import functions as F

    return F.timestamp_seconds("at")
"""


def run(folder: Path, formats: list[str], checks: str, *, names_muntin: bool = False) -> str:
    packages = [{"delta": DELTA, "iceberg": ICEBERG}[name].get(MINOR) for name in formats]
    if None in packages:
        pytest.skip(f"{' and '.join(formats)}: no jar for Spark {MINOR}")
    named = [*formats, *(["muntin"] if names_muntin else [])]
    settings = settings_of(folder) | {
        "spark.jars.packages": ",".join(map(str, packages)),
        "spark.sql.extensions": ",".join(EXTENSIONS[name] for name in named),
    }
    for name in formats:
        settings |= {k: v.format(folder=folder) for k, v in SETTINGS[name].items()}
    return run_program(folder, settings, checks)


def settings_of(folder: Path) -> dict[str, str]:
    return {
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }


def run_program(folder: Path, settings: dict[str, str], checks: str) -> str:
    program = folder / "program.py"
    text = PROGRAM.format(settings=settings, folder=folder)
    program.write_text(text + textwrap.dedent(checks) + "\nprint('all of it holds')\n")
    printed = ran(folder, sys.executable, str(program))
    assert "all of it holds" in printed
    return printed


def ran(folder: Path, *command: str, **environment: str) -> str:
    """Run a command with the package of this checkout, and return what it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")} | environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def test_delta(tmp_path: Path) -> None:
    checks = """
        check("readings", "delta")
        spark.sql("CREATE TABLE appended USING delta AS SELECT id % 3 k, id at FROM range(200)")
        check_stream("appended", "delta")
        check_refresh("refreshed", "delta")
    """
    run(tmp_path, ["delta"], checks)


KILLED = """
query = "SELECT k, at, sum(x) OVER (PARTITION BY k ORDER BY at RANGE 30 PRECEDING) AS s FROM killed"

def opened():
    for name in ("killed", "sums"):
        spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{folder}/{name}'")

def change():
    spark.sql("UPDATE killed SET x = x + 0.1 WHERE at % 90 = 3")
    spark.sql("DELETE FROM killed WHERE at % 97 = 5 AND at > 500")

def die_after_a_new(pattern):
    import glob, os, signal, threading, time

    java = spark._jvm.java.lang.ProcessHandle.current().pid()
    there = set(glob.glob(f"{folder}/sums/{pattern}"))

    def watch():
        while set(glob.glob(f"{folder}/sums/{pattern}")) == there:
            time.sleep(0.001)
        os.kill(java, signal.SIGKILL)
        os._exit(7)

    threading.Thread(target=watch, daemon=True).start()
    mt.refresh(spark.sql(query), "sums", full=False).collect()
    time.sleep(30)
"""


def test_delta_killed(tmp_path: Path) -> None:
    """The next refresh has all results after a process was killed in a refresh."""
    program = f"folder = {str(tmp_path)!r}\n{KILLED}"
    begin = """
made = "SELECT id % 7 AS k, id AS at, id * 0.5D AS x FROM range(900)"
spark.sql(
    f"CREATE TABLE killed USING delta LOCATION '{folder}/killed' "
    f"TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true') AS {made}"
)
spark.sql(f"CREATE TABLE sums USING delta LOCATION '{folder}/sums' AS {query}")
assert mt.refresh(spark.sql(query), "sums").first().full
change()
"""
    again = """
opened()
done = mt.refresh(spark.sql(query), "sums", full=False).first()
print("inserted", done.inserted)
assert not done.full and rows("SELECT * FROM sums") == rows(query)
change()
"""
    run(tmp_path, ["delta"], program + begin)
    for pattern, is_committed in (("*.parquet", False), ("_delta_log/*.json", True)):
        commits = len(list(tmp_path.glob("sums/_delta_log/*.json")))
        with pytest.raises(AssertionError, match="7 == 0"):
            run(tmp_path, ["delta"], f"{program}opened()\ndie_after_a_new({pattern!r})\n")
        assert len(list(tmp_path.glob("sums/_delta_log/*.json"))) == commits + is_committed
        done = run(tmp_path, ["delta"], program + again)
        assert ("inserted 0\n" in done) == is_committed


def test_iceberg(tmp_path: Path) -> None:
    checks = """
        check("lake.db.readings", "iceberg")
        made = "SELECT id % 3 AS k, id AS at FROM range(200)"
        spark.sql(f"CREATE TABLE lake.db.appended USING iceberg AS {made}")
        check_stream("lake.db.appended", "iceberg")
        check_refresh("lake.db.refreshed", "iceberg")
    """
    run(tmp_path, ["iceberg"], checks)


def test_delta_iceberg_and_muntin_as_named_extensions(tmp_path: Path) -> None:
    checks = """
        made = "SELECT id % 7 AS k, id AS at, CAST(id AS DOUBLE) AS x FROM range(1000)"
        spark.sql(f"CREATE TABLE readings USING delta AS {made}")
        spark.sql(f"CREATE TABLE lake.db.readings USING iceberg AS {made}")
        joined = '''
            SELECT d.k, d.at, sum(d.x + i.x) OVER (PARTITION BY d.k ORDER BY d.at) AS s
            FROM readings d JOIN lake.db.readings i ON d.k = i.k AND d.at = i.at
        '''
        assert "MuntinWindow" in plan(joined)
        found = rows(joined)
        spark.conf.set("spark.muntin.over.enabled", "false")
        assert rows(joined) == found and len(found) == 1000
    """
    run(tmp_path, ["delta", "iceberg"], checks, names_muntin=True)


def test_example_of_refresh(tmp_path: Path) -> None:
    if MINOR not in DELTA:
        pytest.skip(f"delta: no jar for Spark {MINOR}")
    printed = ran(tmp_path, sys.executable, str(ROOT / "examples" / "refresh_delta.py"))
    assert printed.count("month") == 12
    assert ", 0 differ from the query over all flights." in printed


PIPELINE = """
import muntin as mt
from pyspark.sql import SparkSession

folder = {folder!r}
QUERY = '''
    SELECT k, t, x, sum(x) OVER (PARTITION BY k ORDER BY t RANGE 6 PRECEDING) AS s, t DIV 100 AS p
    FROM parquet.`{folder}/readings`
'''


def insert(spark, begin, end):
    made = f"SELECT id % 3 AS k, id AS t, id * 0.5D AS x FROM range({{begin}}, {{end}})"
    spark.sql(made).write.mode("append").parquet(f"{{folder}}/readings")
"""
FLOW = """
from pyspark import pipelines as dp


@dp.materialized_view
def refreshed():
    call = f"refresh(TABLE({QUERY}), 'features')"
    return SparkSession.active().sql(f"SELECT * FROM {call}")
"""
SPECIFICATION = """
name: features
storage: file://{folder}/storage
catalog: spark_catalog
database: default
libraries:
  - glob:
      include: flows/**
"""
COMPARE = """
found = spark.table("features").select("k", "t", "x", "s", "p")
wanted = spark.sql(QUERY)
assert sorted(map(tuple, found.collect())) == sorted(map(tuple, wanted.collect()))
print("inserted", spark.table("refreshed").first().inserted)
insert(spark, 500, 505)
"""


def test_pipelines(tmp_path: Path) -> None:
    """A flow of a declarative pipeline refreshes a table that the pipeline does not manage."""
    if MINOR in ("3.5", "4.0"):
        pytest.skip("Spark has declarative pipelines from 4.1 on.")
    settings = settings_of(tmp_path) | {
        "spark.sql.extensions": EXTENSIONS["muntin"],
        "spark.jars": str(muntin.jar()),
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={tmp_path}/metastore;create=true"
        ),
    }
    for folder in ("conf", "flows"):
        (tmp_path / folder).mkdir()
    lines = "\n".join(f"{name} {value}" for name, value in settings.items())
    (tmp_path / "conf" / "spark-defaults.conf").write_text(lines)
    (tmp_path / "spark-pipeline.yml").write_text(SPECIFICATION.format(folder=tmp_path))
    begin = PIPELINE.format(folder=str(tmp_path))
    (tmp_path / "flows" / "refreshed.py").write_text(begin + FLOW)
    environment = {"PYSPARK_PYTHON": sys.executable, "SPARK_CONF_DIR": str(tmp_path / "conf")}

    def python(text: str) -> str:
        spark = "spark = mt.configure(SparkSession.builder.master('local[2]')).getOrCreate()"
        return ran(tmp_path, sys.executable, "-c", f"{begin}\n{spark}\n{text}", **environment)

    write = 'spark.sql(QUERY).limit(0).write.partitionBy("p").saveAsTable("features")'
    python(f"insert(spark, 0, 500)\n{write}")
    for inserted in (500, 505):
        ran(tmp_path, str(Path(sys.executable).with_name("spark-pipelines")), "run", **environment)
        assert f"inserted {inserted}\n" in python(COMPARE)


def test_comet(tmp_path: Path) -> None:
    if MINOR not in COMET:
        pytest.skip(f"Comet: not tried on Spark {MINOR}")
    # Comet scans, exchanges and sorts; Muntin runs the window over Comet's rows.
    checks = """
        made = "SELECT id % 7 AS k, id AS at, CAST(id * 37 % 101 AS DOUBLE) AS x FROM range(2000)"
        spark.sql(made).write.parquet("FOLDER/readings")
        for query in (QUERY, OWN):
            query = query.replace("{table}", "parquet.`FOLDER/readings`")
            frame = spark.sql(query)
            both = frame._jdf.queryExecution().executedPlan().toString()
            beside = sorted(map(tuple, frame.collect()))
            window, below = both.split("MuntinWindow", 1)
            assert "Comet" not in window, both
            for operator in ("CometSort", "CometExchange", "CometNativeScan"):
                assert operator in below, both
            spark.conf.set("spark.comet.enabled", "false")
            assert "Comet" not in plan(query), plan(query)
            assert rows(query) == beside and len(beside) == 2000
            if "sliding" not in query:
                spark.conf.set("spark.muntin.over.enabled", "false")
                assert "Muntin" not in plan(query), plan(query)
                assert rows(query) == beside
                spark.conf.set("spark.muntin.over.enabled", "true")
            spark.conf.set("spark.comet.enabled", "true")
    """
    settings = settings_of(tmp_path) | COMET_SETTINGS | {"spark.jars.packages": COMET[MINOR]}
    run_program(tmp_path, settings, checks.replace("FOLDER", str(tmp_path)))
