"""Finds the Spark that a program would use here, without starting it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from muntin import _sparks
from muntin._errors import HOW_TO_GET_PYSPARK

_CORE = re.compile(r"spark-core_(?P<scala>\d+\.\d+)-(?P<version>\d+\.\d+.*)\.jar")


@dataclass(frozen=True)
class SparkHere:
    """The version of a Spark, the version of its Scala if known, and how Spark was found."""

    version: str
    scala: str | None
    found: str


def pyspark_version() -> str | None:
    """Return the version of the pyspark that Python imports, if there is one."""
    try:
        import pyspark
    except ModuleNotFoundError as missing:
        if missing.name != "pyspark":
            raise
        return None
    # A folder of that name, or the rest of an uninstalled package, is not pyspark.
    return getattr(pyspark, "__version__", None)


def is_client_alone() -> bool:
    """Return whether the installed package is pyspark-client, which does not contain Spark."""
    try:
        from pyspark.util import is_remote_only
    except ImportError:  # an older pyspark, without a client
        return False
    return is_remote_only()


def find() -> SparkHere | None:
    """Return the Spark that pyspark starts, or the Spark of spark-submit, if one exists."""
    home = os.environ.get("SPARK_HOME")
    if home:
        spark = _in_folder(Path(home), f"SPARK_HOME: {home}")
        if spark is not None:
            return spark
    version = pyspark_version()
    if version is not None:
        import pyspark

        # pyspark-client, and a platform's pyspark, may not contain jars.
        folder = Path(pyspark.__path__[0])
        found = f"pyspark: {folder}"
        return _in_folder(folder, found) or SparkHere(version, None, found)
    submit = shutil.which("spark-submit")
    if submit is not None:
        return _in_folder(Path(submit).resolve().parents[1], f"spark-submit: {submit}")
    return None


def why_not_importable() -> str | None:
    """Return why Muntin's functions cannot be imported, or None if they can."""
    version = pyspark_version()
    if version is None:
        return f"needs pyspark. {HOW_TO_GET_PYSPARK}"
    first = _sparks.SPARKS[0].minor
    if _numbers(version) < _numbers(first):
        return f"needs pyspark {first} or later, and this is {version}. {HOW_TO_GET_PYSPARK}"
    return None


def _numbers(version: str) -> list[int]:
    return [int(part) for part in _sparks.minor_of(version).split(".")]


def _in_folder(home: Path, found: str) -> SparkHere | None:
    for jar in _cores(home):
        name = _CORE.fullmatch(jar.name)
        if name:
            return SparkHere(name["version"], name["scala"], found)
    return None


def _cores(home: Path) -> Iterator[Path]:
    for folder in ("jars", "assembly/target/scala-*/jars"):  # the latter in Spark's own sources
        yield from sorted(home.glob(f"{folder}/spark-core_*.jar"))
