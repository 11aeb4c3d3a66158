from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

import muntin
from muntin import _jar, _session
from muntin._errors import MuntinError

_JAVA_NEEDED = 17


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report, and what to do where it is not well."""

    subject: str
    text: str
    remedy: str | None = None


def examine() -> Iterator[Finding]:
    """Look at one thing after the other, each as far as those before allow."""
    yield Finding("muntin", f"{muntin.__version__} in {Path(muntin.__file__).parent}")
    yield Finding("pyspark", f"{pyspark.__version__} in {Path(pyspark.__file__).parent}")
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
    remote = os.environ.get("SPARK_REMOTE")
    builder = SparkSession.builder.appName("muntin doctor")
    if not remote:
        builder = builder.master("local[1]").config("spark.ui.enabled", "false")
    subject = f"session ({remote})" if remote else "session"
    try:
        spark = _session.configure(builder).getOrCreate()
    except Exception as error:  # whatever keeps Spark from starting is the finding
        return Finding(subject, f"does not start: {error}", "Spark itself has to start first.")
    try:
        if not _session.is_active(spark):
            return Finding(
                subject,
                f"Spark {spark.version}, Muntin is not active",
                _session.server_command()
                if remote
                else "See whether the log has a warning about Muntin, and whether "
                "spark.muntin.over.enabled or spark.jars is set in spark-defaults.conf.",
            )
        return Finding(subject, f"Spark {spark.version}, Muntin is active in a new session")
    finally:
        spark.stop()
