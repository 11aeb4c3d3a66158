"""An archive of the Spark classes, which Java reads instead of 300 jars.

With the archive a session starts in half of the CPU time, 6 seconds instead of 11, and the tests
start dozens of sessions. Java creates the archive from the classes that a small program has loaded
(class data sharing). It is stored in the environment of the pyspark. If the jars of a session do
not match the archive, Java ignores it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import muntin as mt
import pyspark

JARS = Path(pyspark.__path__[0]) / "jars"

PROGRAM = """
import sys
import muntin as mt
from pyspark.sql import SparkSession

spark = (
    mt.configure(SparkSession.builder.master("local[2]"))
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
rows = spark.range(100).selectExpr("id", "id % 3 AS k", "timestamp_seconds(id) AS t")
rows.write.parquet(sys.argv[1] + "/rows")
spark.read.parquet(sys.argv[1] + "/rows").createOrReplaceTempView("rows")
spark.sql(
    "SELECT *, sum(id) OVER (PARTITION BY k ORDER BY t ROWS 3 PRECEDING) AS s FROM rows"
).show()
spark.sql("EXPLAIN SELECT k, count(DISTINCT id), median(id) FROM rows GROUP BY k").collect()
spark.sql("SELECT a.k, count(*) FROM rows a JOIN rows b ON a.id = b.id GROUP BY a.k").toPandas()
"""


def made(options: str) -> str:
    """Return the options with which Java reads the archive. Creates the archive if necessary."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    version = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    of = hashlib.sha256(f"{JARS} {JARS.stat().st_mtime} {version} {options}".encode()).hexdigest()
    folder = Path(sys.prefix) / "classes"
    folder.mkdir(exist_ok=True)
    archive = folder / f"{of[:16]}.jsa"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            _make(archive, options)
    # Java prints to the standard output if an archive does not match a session.
    return f"-XX:SharedArchiveFile={archive} -Xlog:disable" if archive.exists() else ""


def _make(archive: Path, options: str) -> None:
    unfinished = archive.with_suffix(".new")
    making = f"{options} -XX:ArchiveClassesAtExit={unfinished} -Xlog:disable"
    path = str(Path(mt.__path__[0]).parent)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-c", PROGRAM, folder],
            env=os.environ | {"SPARK_SUBMIT_OPTS": making, "PYTHONPATH": path},
            cwd=folder,
            capture_output=True,
            check=False,
        )
    if unfinished.exists():
        unfinished.rename(archive)
