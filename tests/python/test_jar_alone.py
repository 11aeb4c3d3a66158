"""The jar without the package: Spark finds Muntin in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import muntin as mt
import pyspark
import pytest

pytestmark = [pytest.mark.smoke, pytest.mark.packaging]


def test_spark_sql_with_the_jar(tmp_path: Path) -> None:
    query = "SELECT id, sliding(sum(id), 2) OVER (ORDER BY id) AS two FROM range(3) ORDER BY id"
    options = ["--master", "local[1]", "--conf", "spark.ui.enabled=false", "--jars", mt.jar()]
    done = subprocess.run(
        [str(Path(pyspark.__path__[0]) / "bin" / "spark-sql"), *options, "-e", query],
        cwd=tmp_path,
        env=os.environ | {"SPARK_HOME": pyspark.__path__[0], "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["0\tNULL", "1\t1", "2\t3"]
