from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from installed import BUILD, ROOT, Command, Installed


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build: Command = [*BUILD, "--outdir", out, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    venv = tmp_path_factory.mktemp("a user's") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    (packages,) = venv.glob("lib/python*/site-packages")
    # pyspark alone is 400 MB: shared, not copied. A path file found by way of a path file is not
    # followed, so a development install of muntin over there stays out of this one.
    (packages / "shared.pth").write_text(sysconfig.get_paths()["purelib"])
    pip: Command = [sys.executable, "-m", "pip", "--quiet", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True)
    return Installed(python, packages / "muntin")
