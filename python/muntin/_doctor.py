from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from muntin import _jar, _settings, _spark_here, _sparks
from muntin._errors import HOW_TO_GET_PYSPARK, MuntinError
from muntin._version import __version__

# The Java to install: every supported Spark runs on it.
_JAVA_OFFERED = 17

# The number of lines of the log to show if a session does not start.
_LOG_LINES = 12


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report, with the remedy if it reports a problem."""

    subject: str
    text: str
    remedy: str | None = None
    is_begun: bool = False


def examine(*, tries_session: bool = True) -> Iterator[Finding]:
    """Check one item after another, as far as the results of earlier checks allow."""
    yield Finding("muntin", f"{__version__} in {Path(__file__).parent}")
    pyspark = _examine_pyspark()
    yield pyspark
    if pyspark.remedy is not None:
        return
    if os.environ.get("SPARK_REMOTE", "").startswith("sc://"):
        # The server has the jar and Java.
        if tries_session:
            yield from _try_session()
        return
    if _spark_here.is_client_alone():
        yield Finding(
            "session",
            "none: this is pyspark-client, and no server is named",
            "SPARK_REMOTE=sc://host:15002 python -m muntin doctor",
        )
        return
    spark = _spark_here.find()
    assert spark is not None  # pyspark is installed
    if spark.found.startswith("SPARK_HOME"):
        yield Finding("spark", f"{spark.version} ({spark.found}), which runs, not pyspark's")
    jar = _examine_jar(spark)
    yield jar
    if jar.remedy is not None:
        return
    off = _settings.off_by_environment()
    if off is not None:
        yield Finding("switch", "Muntin is turned off", str(off))
        return
    java = _examine_java(_jar.require(spark.version))
    yield java
    if java.remedy is None and tries_session:
        yield from _try_session()


def _examine_pyspark() -> Finding:
    version = _spark_here.pyspark_version()
    why_not = _spark_here.why_not_importable()
    if version is None:
        spark = _spark_here.find()
        if spark is None:
            return Finding("pyspark", "missing", HOW_TO_GET_PYSPARK)
        text = f"missing, and there is Spark {spark.version} ({spark.found})"
        return Finding("pyspark", text, f"pip install 'pyspark=={spark.version}'")
    import pyspark

    text = f"{version} in {Path(pyspark.__path__[0])}"
    return Finding("pyspark", text, why_not and f"muntin {why_not}")


def _examine_jar(spark: _spark_here.SparkHere) -> Finding:
    try:
        jar = _jar.find(spark.version, spark.scala)
    except MuntinError as error:
        of_scala = f" of Scala {spark.scala}" if spark.scala else ""
        return Finding("jar", f"none for Spark {spark.version}{of_scala}", str(error))
    return Finding("jar", f"for Spark {jar.spark}, Scala {jar.scala}: fits; {jar.path}")


def _examine_java(spark: _sparks.Spark) -> Finding:
    needed, last = spark.java, _last_java(spark.minor)
    until = f" to {last}" if last else " or later"
    remedy = (
        f"Spark {spark.minor} runs on Java {needed}{until}. Install one, such as "
        f"{_JAVA_OFFERED} (Debian, Ubuntu: sudo apt-get install "
        f"openjdk-{_JAVA_OFFERED}-jdk-headless; macOS: brew install openjdk@{_JAVA_OFFERED}), and "
        "point JAVA_HOME to it where there are several."
    )
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        return Finding("java", "missing", remedy)
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError) as error:
        return Finding("java", f"{java} does not run: {error}", remedy)
    version = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', told)  # Java 8 calls itself 1.8
    if version is None:
        return Finding("java", f"{java} does not report its version", remedy)
    text = f"{version[1]}, {java}"
    fits = needed <= int(version[2]) <= (last or int(version[2]))
    return Finding("java", text, None if fits else remedy)


def _last_java(minor: str) -> int | None:
    # Java 24 removed the security manager, which the Hadoop of these Sparks requires: "getSubject
    # is not supported".
    return 23 if [int(part) for part in minor.split(".")] < [4, 1] else None


def _try_session() -> Iterator[Finding]:
    yield Finding("session", "starting one, which takes some seconds", is_begun=True)
    yield _examine_session()


@contextmanager
def _errors_to(file: IO[bytes]) -> Iterator[None]:
    """Redirect errors and logs of this process, and of a JVM that it starts, to a file."""
    sys.stderr.flush()
    former = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(former, 2)
        os.close(former)


def _examine_session() -> Finding:
    with tempfile.TemporaryFile() as log, _errors_to(log):
        finding = _examine_logged_session()
        if finding.remedy is None:
            return finding
        log.seek(0)
        lines = log.read().decode(errors="replace").splitlines()[-_LOG_LINES:]
        shown = "".join(f"\n{line}" for line in ["Spark's log ends with:", *lines] if lines)
        return replace(finding, remedy=f"{finding.remedy}{shown}")


def _examine_logged_session() -> Finding:
    from pyspark.sql import SparkSession

    from muntin import _session

    remote = os.environ.get("SPARK_REMOTE")
    builder = SparkSession.builder.appName("muntin doctor")
    if not remote:
        builder = builder.master("local[1]").config("spark.ui.enabled", "false")
    subject = f"session ({remote})" if remote else "session"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a separate finding reports them
            spark = _session.configure(builder).getOrCreate()
    except MuntinError as error:
        return Finding(subject, "Muntin is not active", str(error))
    except Exception as error:  # the finding is any error that prevents the start of Spark
        return Finding(subject, f"does not start: {error}", "Spark itself has to start first.")
    try:
        from muntin import _calls

        off = _calls.turned_off(spark)
        if off is not None:
            return Finding(subject, f"Spark {spark.version}, Muntin is turned off", str(off))
        plan = spark.sql("EXPLAIN SELECT sum(id) OVER (ORDER BY id) FROM range(1)").first()
        names = [row[0] for row in spark.sql("SET").collect()]
        unknown = _settings.unknown(names)
        if unknown:
            text = f"Spark {spark.version}, and a setting of Muntin has a wrong name"
            return Finding(subject, text, "\n".join(unknown))
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
