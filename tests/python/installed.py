"""An environment with the installed wheel, as a user would create it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import sysconfig
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import muntin as mt
import pyspark
import pytest
from muntin import _jar, _sparks
from ports import free_port

ROOT = Path(__file__).parents[2]
SPARK_HOME = Path(pyspark.__file__).parent

OPERATOR = "MuntinWindow"  # its name in a plan

Command = Sequence[str | Path]
NOTHING: Mapping[str, str] = {}

CHECK = f"""
OPERATOR = {OPERATOR!r}
QUERY = "SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM range(1000)"

def has_muntin(spark):
    return OPERATOR in spark.sql("EXPLAIN " + QUERY).first()[0]

def assert_works(spark):
    assert has_muntin(spark)
    assert sum(row.s for row in spark.sql(QUERY).collect()) == 998001
"""

BUILD = [sys.executable, "-m", "build", "--no-isolation"]
BUILT = [s.minor for s in _sparks.SPARKS if s.minor in {jar.spark for jar in _jar.every()}]
LOCAL = '.master("local[2]").config("spark.ui.enabled", "false")'


@dataclass(frozen=True)
class Installed:
    """An environment that has the wheel and shares everything else with this one."""

    python: Path
    folder: Path

    @property
    def jar(self) -> Path:
        return self.folder / "jars" / Path(mt.jar()).name

    def run(
        self, command: Command, *, fails: bool = False, variables: Mapping[str, str] = NOTHING
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command,
            env=self.environment(variables),
            cwd=self.python.parents[2],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode != 0) == fails, f"{done.stdout}\n{done.stderr}"
        assert "'JavaPackage' object is not callable" not in done.stdout + done.stderr
        return done

    def script(
        self, text: str, *, launcher: Command = (), variables: Mapping[str, str] = NOTHING
    ) -> subprocess.CompletedProcess[str]:
        file = self.python.parents[2] / "script.py"
        file.write_text(CHECK + "from pyspark.sql import SparkSession\n" + textwrap.dedent(text))
        return self.run([*(launcher or [self.python]), file], variables=variables)

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "PYSPARK", "SPARK")) or name == "SPARK_SUBMIT_OPTS"
        }
        return kept | {"PYSPARK_PYTHON": str(self.python), **variables}


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist, and the wheel that is built from it."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [*BUILD, "--outdir", str(out), str(ROOT)],
        env=os.environ | {"MUNTIN_WHEEL_SPARKS": ",".join(BUILT)},  # `make jars` may not have run
        check=True,
        capture_output=True,
    )
    return out


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    (made,) = dist.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    venv = tmp_path_factory.mktemp("a user's") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    (packages,) = venv.glob("lib/python*/site-packages")
    # pyspark has 400 MB, so it is shared and not copied. Python does not follow a path file of a
    # path file, so this environment does not contain a development install of muntin.
    (packages / "shared.pth").write_text(sysconfig.get_paths()["purelib"])
    pip: Command = [sys.executable, "-m", "pip", "--quiet", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True)
    return Installed(python, packages / "muntin")


def _wait_until_open(port: int, process: subprocess.Popen[bytes]) -> None:
    # A client that connects too early waits for a long time.
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("localhost", port)) == 0:
                return
        time.sleep(0.3)


@pytest.fixture
def server(installed: Installed, tmp_path: Path) -> Iterator[int]:
    port = free_port()
    start = SPARK_HOME / "sbin" / "start-connect-server.sh"
    if not start.exists():
        pytest.skip("this pyspark has no script that starts a server: Spark 4.0's")
    options = ["--master", "local[2]", "--conf", f"spark.connect.grpc.binding.port={port}"]
    log = tmp_path / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [start, "--wait", *options, "--jars", installed.jar],
            env=installed.environment(
                {"SPARK_LOG_DIR": str(tmp_path), "SPARK_PID_DIR": str(tmp_path)}
            ),
            cwd=tmp_path,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _wait_until_open(port, process)
    yield port
    assert process.poll() is None, log.read_text()
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(60)
