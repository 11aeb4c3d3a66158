"""The list of Sparks that muntin supports. The build of the wheel reads it as well."""

from __future__ import annotations

from typing import NamedTuple


class Spark(NamedTuple):
    """A minor version of Spark, the Scala of its jar in the wheel, and the jar's first Java."""

    minor: str
    scala: str
    java: int


SPARKS = (
    Spark("3.5", "2.12", 11),
    Spark("4.0", "2.13", 17),
    Spark("4.1", "2.13", 17),
    Spark("4.2", "2.13", 17),
    Spark("4.3", "2.13", 17),
)


# Only Maven has their jars: no pyspark on PyPI has their Scala.
OF_MAVEN = (Spark("3.5", "2.13", 11),)


def minor_of(version: str) -> str:
    """Return the minor version that a version of Spark, or of Scala, belongs to."""
    return ".".join(version.split(".")[:2])


def spark_of(version: str) -> Spark | None:
    """Return the Spark of the list that a version belongs to."""
    return next((spark for spark in SPARKS if spark.minor == minor_of(version)), None)


def named() -> str:
    """Return the minor versions of the list as text."""
    *others, last = [spark.minor for spark in SPARKS]
    return f"{', '.join(others)} and {last}"


def requirement() -> str:
    """Return the range of pyspark's versions as a requirement of pip."""
    return f"pyspark{_range(SPARKS[0].minor)}"


def requirement_of_client() -> str:
    """Return the range of pyspark-client's versions, which begins with Spark 4.0."""
    return f"pyspark-client{_range('4.0')}"


def _range(first: str) -> str:
    major, minor = SPARKS[-1].minor.split(".")
    return f">={first},<{major}.{int(minor) + 1}"
