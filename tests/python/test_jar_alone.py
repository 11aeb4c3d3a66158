"""The jar without the package: Spark finds Muntin in the jar."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import muntin as mt
import pyspark
import pytest

pytestmark = [pytest.mark.smoke, pytest.mark.packaging]


SPARK_HOME = Path(pyspark.__path__[0])


def spark_sql(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run spark-sql with only the jar."""
    # A metastore of Hive takes a quarter of the time.
    settings = ["spark.ui.enabled=false", "spark.sql.catalogImplementation=in-memory"]
    options = ["--master", "local[1]", *(f"--conf={s}" for s in settings), "--jars", mt.jar()]
    done = subprocess.run(
        [str(SPARK_HOME / "bin" / "spark-sql"), *options, *arguments],
        cwd=folder,
        env=os.environ
        | {"SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable}
        | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_spark_sql_with_the_jar(tmp_path: Path) -> None:
    query = "SELECT id, sliding(sum(id), 2) OVER (ORDER BY id) AS two FROM range(3) ORDER BY id"
    done = spark_sql(tmp_path, "-e", query)
    assert done.stdout.split("\n")[:3] == ["0\tNULL", "1\t1", "2\t3"]


@pytest.mark.parametrize(
    "place", ["setting", pytest.param("variable", marks=pytest.mark.sampled(2))]
)
def test_the_switch_is_read_before_other_classes_are_loaded(tmp_path: Path, place: str) -> None:
    loaded = tmp_path / "loaded.txt"
    arguments = ["--driver-java-options", f"-Xlog:class+load:file={loaded}"]
    variables = {}
    if place == "setting":
        arguments += ["--conf", "spark.muntin.enabled=false"]
    else:
        variables["MUNTIN_ENABLED"] = "false"
    query = "SELECT sum(id) OVER (ORDER BY id) AS s FROM range(3)"
    done = spark_sql(
        tmp_path,
        *arguments,
        "-e",
        f"EXPLAIN {query}; SHOW FUNCTIONS LIKE 'muntin*'; {query}",
        **variables,
    )
    assert "Window [" in done.stdout
    assert "muntin" not in done.stdout.lower()
    assert done.stdout.endswith("0\n1\n3\n")
    classes = [line.split()[1] for line in loaded.read_text().splitlines() if "muntin" in line]
    names = [name for name in classes if "source:" not in name]
    assert {name.split(".")[-1] for name in names} == {"MuntinExtensions"}, names


def test_a_spark_that_lacks_a_method_runs_without_muntin(tmp_path: Path) -> None:
    # Like a platform's Spark, with another revision and a renamed method.
    changed = "org/apache/spark/sql/SparkSessionExtensions.class"
    (jar,) = SPARK_HOME.glob("jars/spark-sql_2*.jar")
    (tmp_path / changed).parent.mkdir(parents=True)
    with zipfile.ZipFile(jar) as spark:
        file = spark.read(changed)
    assert file.count(b"injectPlannerStrategy")
    patched = file.replace(b"injectPlannerStrategy", b"injectPlannerStrategi")
    (tmp_path / changed).write_bytes(patched)
    (tmp_path / "spark-version-info.properties").write_text(
        f"version={pyspark.__version__}\nrevision=abc\n"
    )
    query = "SELECT id, sum(id) OVER (ORDER BY id) AS s FROM range(3) ORDER BY id"
    both = f"EXPLAIN {query}; {query}"
    done = spark_sql(tmp_path, "--driver-class-path", str(tmp_path), "-e", both)
    assert "MuntinWindow" not in done.stdout
    assert done.stdout.endswith("0\t0\n1\t1\n2\t3\n")
    (warning,) = [line for line in done.stderr.splitlines() if "is turned off" in line]
    lacks = "org.apache.spark.sql.SparkSessionExtensions.injectPlannerStrategy(Lscala/Function1;)V"
    assert f"this Spark {pyspark.__version__} lacks {lacks}, which" in warning
