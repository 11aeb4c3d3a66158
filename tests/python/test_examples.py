"""The quickstarts, run as their first lines say."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import OPERATOR, ROOT, SPARK_HOME, Installed

pytestmark = pytest.mark.packaging

EXAMPLES = ROOT / "examples"
LAST = ["4", "1970-01-07", "22:40:00", "13", "56.114754098360656", "100"]


def assert_ran(output: str) -> None:
    rows = [line.replace("|", " ").split() for line in output.splitlines()]
    assert LAST in rows, output
    assert "Physical Plan" in output
    assert OPERATOR in output


def test_quickstart_py(installed: Installed) -> None:
    assert_ran(installed.run([installed.python, EXAMPLES / "quickstart.py"]).stdout)


def test_quickstart_scala(installed: Installed, tmp_path: Path) -> None:
    program = tmp_path / "quickstart.jar"
    compiler = ["java", "-cp", f"{SPARK_HOME}/jars/*", "scala.tools.nsc.Main", "-usejavacp"]
    installed.run([*compiler, "-d", str(program), str(EXAMPLES / "quickstart.scala")])
    submit = SPARK_HOME / "bin" / "spark-submit"
    options = ["--master", "local[2]", "--class", "Quickstart"]
    assert_ran(installed.run([submit, *options, "--jars", installed.jar, program]).stdout)


def test_quickstart_sql(installed: Installed) -> None:
    shell = SPARK_HOME / "bin" / "spark-sql"
    # Else Derby leaves a metastore behind.
    options = ["--master", "local[2]", "--conf", "spark.sql.catalogImplementation=in-memory"]
    file = EXAMPLES / "quickstart.sql"
    assert_ran(installed.run([shell, *options, "--jars", installed.jar, "-f", file]).stdout)
