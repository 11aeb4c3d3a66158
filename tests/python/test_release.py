"""The files for PyPI are built, checked, and installed by pip from an index in a folder."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import muntin as mt
import pytest
from installed import Command

pytestmark = pytest.mark.packaging


def wheel_of(folder: Path, name: str, version: str, *requirements: str) -> None:
    """Write a wheel for another package, with only the metadata that pip reads."""
    stem = f"{name.replace('-', '_')}-{version}"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += ["Provides-Extra: connect", *(f"Requires-Dist: {r}" for r in requirements)]
    files = {
        f"{stem}.dist-info/METADATA": "\n".join(lines) + "\n",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
        record += f"{path},sha256={digest.rstrip('=')},{len(text)}\n"
    files[f"{stem}.dist-info/RECORD"] = record + f"{stem}.dist-info/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)


@pytest.fixture(scope="module")
def index(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create an index in a folder, with the release and empty pyspark packages."""
    folder = tmp_path_factory.mktemp("index")
    for path in dist.iterdir():
        (folder / path.name).symlink_to(path)
    for version in ["3.4.4", "3.5.9", "4.0.5", "4.2.0", "4.3.0", "4.4.0"]:
        wheel_of(folder, "pyspark", version)
    for version in ["4.2.0", "4.4.0"]:
        wheel_of(folder, "pyspark-client", version)
    wheel_of(folder, "delta-spark", "4.4.1", "pyspark<=4.2.0,>=4.0.1")
    return folder


class Environment:
    """A clean environment, and a pip that uses only the folder."""

    def __init__(self, folder: Path, index: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.python = folder / "bin" / "python"
        self._index = index

    def pip(self, *arguments: str) -> None:
        command: Command = [sys.executable, "-m", "pip", "--python", self.python, "install"]
        options: Command = ["--quiet", "--no-index", "--find-links", self._index]
        subprocess.run([*command, *options, *arguments], check=True, capture_output=True)

    def installed(self) -> dict[str, str]:
        program = """if True:
            from importlib.metadata import distributions
            for d in distributions(): print(d.metadata["Name"], d.version)"""
        told = self.run("-c", program).stdout
        return dict(line.split() for line in told.splitlines())

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.python, "-I", *arguments], capture_output=True, text=True, check=True
        )


@pytest.fixture
def environment(tmp_path: Path, index: Path) -> Environment:
    return Environment(tmp_path / "venv", index)


OURS = {"muntin": mt.version()}


def test_the_release_meets_the_requirements_of_pypi(dist: Path) -> None:
    # The wheel is built from the sdist, as by pip if no wheel exists.
    files = sorted(dist.iterdir())
    assert [path.name for path in files] == [
        f"muntin-{mt.version()}-py3-none-any.whl",
        f"muntin-{mt.version()}.tar.gz",
    ]
    command: Command = [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout
    assert told.stdout.count("PASSED") == 2


@pytest.mark.parametrize(
    "there",
    [
        [],
        ["pyspark==3.4.4"],
        ["pyspark==3.5.9"],
        ["pyspark==4.4.0"],
        ["pyspark-client==4.2.0"],
        ["delta-spark", "pyspark==4.0.5"],
    ],
)
def test_pip_installs_only_muntin(environment: Environment, there: list[str]) -> None:
    if there:
        environment.pip(*there)
    before = environment.installed()
    environment.pip("muntin")
    assert environment.installed() == before | OURS
    assert environment.run("-m", "muntin", "version").stdout == f"{mt.version()}\n"
    spark = mt.jar().split("muntin-spark-")[1].split("_")[0]
    assert Path(environment.run("-m", "muntin", "jar", "--spark", spark).stdout.strip()).is_file()


@pytest.mark.parametrize(
    ("there", "asked", "then"),
    [
        # pip keeps an installed supported pyspark; otherwise it installs the newest with a jar.
        ([], ["muntin[spark]"], {"pyspark": "4.3.0"}),
        (["pyspark==4.2.0"], ["muntin[spark]"], {"pyspark": "4.2.0"}),
        (["pyspark==4.0.5"], ["muntin[connect]"], {"pyspark": "4.0.5"}),
        (["pyspark==3.5.9"], ["muntin[spark]"], {"pyspark": "3.5.9"}),
        ([], ["muntin[spark]", "delta-spark"], {"pyspark": "4.2.0", "delta-spark": "4.4.1"}),
        ([], ["muntin[client]"], {"pyspark-client": "4.2.0"}),
    ],
)
def test_pip_installs_the_spark_of_an_extra(
    environment: Environment, there: list[str], asked: list[str], then: dict[str, str]
) -> None:
    if there:
        environment.pip(*there)
    environment.pip(*asked)
    assert environment.installed() == then | OURS
