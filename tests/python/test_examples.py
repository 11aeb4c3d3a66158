"""The examples run with the commands in their first lines."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from installed import OPERATOR, ROOT, SPARK_HOME, Installed

pytestmark = [pytest.mark.packaging, pytest.mark.sampled(2)]

EXAMPLES = ROOT / "examples"
README = (ROOT / "README.md").read_text()
LAST = ["4", "1970-01-07", "22:40:00", "13", "56.114754098360656", "100"]


def assert_ran(output: str, row: list[str] = LAST) -> None:
    rows = [line.replace("|", " ").split() for line in output.splitlines()]
    assert row in rows, output
    assert "Physical Plan" in output
    assert OPERATOR in output


def test_quickstart_py(installed: Installed) -> None:
    assert_ran(installed.run([installed.python, EXAMPLES / "quickstart.py"]).stdout)


def test_streams_py(installed: Installed) -> None:
    output = installed.run([installed.python, EXAMPLES / "streams.py"]).stdout
    assert "All 180 rows were emitted" in output
    assert "all equal a batch so far" in output
    rows = [line.replace("|", " ").split() for line in output.splitlines()]
    assert ["0", "2026-01-01", "00:00:00", "0.0", "0.0", "0.0", "NULL"] in rows, output
    assert any(row[:1] != ["timestamp"] and row[-1:] == ["6"] for row in rows), output
    assert rows[-1][1:] == ["rows", "wait."], output
    assert int(rows[-1][0]) > 0, output


def test_operating_py(installed: Installed) -> None:
    output = installed.run([installed.python, EXAMPLES / "operating.py"]).stdout
    assert "8100 results, 0 differ from a batch over all rows." in output, output
    assert "|         5|" in output, output
    assert output.count("|continues|") == 3, output


def test_refresh_py(installed: Installed) -> None:
    output = installed.run([installed.python, EXAMPLES / "refresh.py"]).stdout
    assert "results, 0 differ from the query over all rows." in output, output
    assert output.count("stretches of") == 5, output


def submit(
    installed: Installed, program: Path, file: str | Path, main: str, *, imports: str = ""
) -> str:
    path = f"{SPARK_HOME}/jars/*{imports}"
    quickly = os.environ.get("SPARK_SUBMIT_OPTS", "").split()
    compiler = ["java", *quickly, "-cp", path, "scala.tools.nsc.Main", "-usejavacp"]
    installed.run([*compiler, "-d", str(program), str(EXAMPLES / file)])
    submit = SPARK_HOME / "bin" / "spark-submit"
    options = ["--master", "local[2]", "--class", main]
    return installed.run([submit, *options, "--jars", installed.jar, program]).stdout


def test_quickstart_scala(installed: Installed, tmp_path: Path) -> None:
    assert_ran(submit(installed, tmp_path / "q.jar", "quickstart.scala", "Quickstart"))


def test_retracting_scala(installed: Installed, tmp_path: Path) -> None:
    muntin = f":{installed.jar}"
    program = tmp_path / "r.jar"
    output = submit(installed, program, "retracting.scala", "MostCommon", imports=muntin)
    assert_ran(output, ["54321", "5", "4"])
    assert "retracting)" in output


def test_the_commands_of_the_readme(installed: Installed, tmp_path: Path) -> None:
    get, use = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert "make wheel" in get  # `installed` has run it
    (tmp_path / "examples").symlink_to(EXAMPLES)
    # Otherwise Derby creates a metastore here.
    (tmp_path / "spark-defaults.conf").write_text("spark.sql.catalogImplementation in-memory\n")
    path = f"{installed.python.parent}:{SPARK_HOME / 'bin'}:{os.environ['PATH']}"
    output = installed.run(
        ["bash", "-euc", f"cd '{tmp_path}'\n{use}"],
        variables={"PATH": path, "SPARK_CONF_DIR": str(tmp_path)},
    ).stdout
    doctor, shell = output.split("== Physical Plan ==", 1)[0], output
    assert "Muntin is active in a new session" in doctor
    assert_ran(shell)
    assert shell.count("== Physical Plan ==") == 2
