from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from muntin import _jar
from muntin._errors import NO_PYSPARK, MuntinError
from muntin._version import __version__

_JAVA_NEEDED = 17


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report, and what to do where it is not well."""

    subject: str
    text: str
    remedy: str | None = None


def examine() -> Iterator[Finding]:
    """Look at one thing after the other, each as far as those before allow."""
    yield Finding("muntin", f"{__version__} in {Path(__file__).parent}")
    try:
        import pyspark
    except ModuleNotFoundError:
        yield Finding("pyspark", "missing", NO_PYSPARK)
        return
    yield Finding("pyspark", f"{pyspark.__version__} in {Path(pyspark.__file__).parent}")
    if _is_client_alone():
        # The jar and Java are the server's.
        yield (
            _examine_session()
            if os.environ.get("SPARK_REMOTE")
            else Finding(
                "session",
                "none: this is pyspark-client, and no server is named",
                "SPARK_REMOTE=sc://host:15002 python -m muntin doctor",
            )
        )
        return
    home = os.environ.get("SPARK_HOME")
    if home:
        yield Finding("SPARK_HOME", f"{home} (its Spark runs, not the one in pyspark)")
    try:
        jar = _jar.find()
    except MuntinError as error:
        yield Finding("jar", "missing", str(error))
        return
    try:
        jar.require(pyspark.__version__)
    except MuntinError as error:
        yield Finding("jar", f"for Spark {jar.spark}: does not fit", str(error))
        return
    yield Finding("jar", f"for Spark {jar.spark}, Scala {jar.scala}: fits; {jar.path}")
    java = _examine_java()
    yield java
    if java.remedy is None:
        yield _examine_session()


def _is_client_alone() -> bool:
    from muntin import _session

    return _session.is_client_alone()


def _examine_java() -> Finding:
    remedy = (
        f"Install Java {_JAVA_NEEDED} or later (Debian, Ubuntu: sudo apt-get install "
        f"openjdk-{_JAVA_NEEDED}-jdk-headless; macOS: brew install openjdk@{_JAVA_NEEDED}), "
        "and point JAVA_HOME to it where there are several."
    )
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        return Finding("java", "missing", remedy)
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError) as error:
        return Finding("java", f"{java} does not run: {error}", remedy)
    version = re.search(r'version "((\d+)[^"]*)"', told)
    if version is None:
        return Finding("java", f"{java} does not tell its version", remedy)
    text = f"{version[1]}, {java}"
    return Finding("java", text, remedy if int(version[2]) < _JAVA_NEEDED else None)


def _examine_session() -> Finding:
    from pyspark.sql import SparkSession

    from muntin import _session

    remote = os.environ.get("SPARK_REMOTE")
    builder = SparkSession.builder.appName("muntin doctor")
    if not remote:
        builder = builder.master("local[1]").config("spark.ui.enabled", "false")
    subject = f"session ({remote})" if remote else "session"
    try:
        spark = _session.configure(builder).getOrCreate()
    except MuntinError as error:
        return Finding(subject, "Muntin is not active", str(error))
    except Exception as error:  # whatever keeps Spark from starting is the finding
        return Finding(subject, f"does not start: {error}", "Spark itself has to start first.")
    try:
        plan = spark.sql("EXPLAIN SELECT sum(id) OVER (ORDER BY id) FROM range(1)").first()
        if plan is not None and "MuntinWindow" in plan[0]:
            return Finding(subject, f"Spark {spark.version}, Muntin is active in a new session")
        return Finding(
            subject,
            f"Spark {spark.version}, Muntin does not run window functions",
            "See whether spark.muntin.over.enabled is false, in spark-defaults.conf or in the "
            "server's settings.",
        )
    finally:
        spark.stop()
