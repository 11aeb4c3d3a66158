"""Tries the wheel as a user would: a clean environment, pip, doctor, README's first block, --jars.

It prints each step, and ends with an error if one step fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
VARIABLES = ("PYTHON", "PYSPARK", "SPARK")  # of the caller, not of the environment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path, help="the folder with the wheel")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--spark", required=True, help="a minor or a version of pyspark")
    said = parser.parse_args()
    (wheel,) = said.dist.resolve().glob("*.whl")
    (block,) = re.findall(
        r"```python\n(import muntin.*?)```", (ROOT / "README.md").read_text(), re.S
    )
    with tempfile.TemporaryDirectory() as folder:
        tried = Path(folder)
        run(tried, said.python, "-m", "venv", "venv")
        python = str(tried / "venv" / "bin" / "python")
        version = said.spark if said.spark.count(".") == 2 else f"{said.spark}.*"
        run(tried, python, "-m", "pip", "install", "--quiet", f"pyspark=={version}")
        before = run(tried, python, "-m", "pip", "freeze")
        run(tried, python, "-m", "pip", "install", "--quiet", str(wheel))
        after = run(tried, python, "-m", "pip", "freeze")
        changed = set(before.splitlines()) ^ set(after.splitlines())
        if any(not line.startswith("muntin") for line in changed):
            sys.exit(f"pip has changed {changed}")
        run(tried, python, "-m", "muntin", "doctor")
        (tried / "first.py").write_text(block)
        if "mean" not in run(tried, python, "first.py"):
            sys.exit("README's first block does not show its table")
        jar = run(tried, python, "-m", "muntin", "jar").strip()
        sql = str(tried / "venv" / "bin" / "spark-sql")
        query = "EXPLAIN SELECT sum(id) OVER (ORDER BY id) FROM range(3)"
        options = ["--master", "local[1]", "--conf", "spark.ui.enabled=false", "--jars", jar]
        if "MuntinWindow" not in run(tried, sql, *options, "-e", query):
            sys.exit("Muntin is not active with only the jar")
    print("All of it works.")


def run(folder: Path, *command: str) -> str:
    print("$", *command, flush=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(VARIABLES)}
    found: Sequence[str] = [str(folder / "venv" / "bin"), kept["PATH"]]
    variables = kept | {"PATH": os.pathsep.join(found), "PYSPARK_PYTHON": command[0]}
    if not command[0].endswith("python"):
        variables.pop("PYSPARK_PYTHON")
    done = subprocess.run(
        command, cwd=folder, env=variables, stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout, flush=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
