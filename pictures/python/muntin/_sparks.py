"""The Sparks that muntin is for: the one list, which the build of the wheel reads, too."""

from __future__ import annotations

from typing import NamedTuple


class Spark(NamedTuple):
    """A minor of Spark, the Scala of its jar in the wheel, and the first Java for that jar."""

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


# Their jars are on Maven alone: no pyspark of PyPI's has their Scala.
OF_MAVEN = (Spark("3.5", "2.13", 11),)


def minor_of(version: str) -> str:
    """Return the minor version that a version of Spark, or of Scala, belongs to."""
    return ".".join(version.split(".")[:2])


def spark_of(version: str) -> Spark | None:
    """Return the Spark of the list that a version belongs to."""
    return next((spark for spark in SPARKS if spark.minor == minor_of(version)), None)


def named() -> str:
    """Return the minors of the list in words."""
    *others, last = [spark.minor for spark in SPARKS]
    return f"{', '.join(others)} and {last}"


def requirement() -> str:
    """Return the range of pyspark's versions, as pip takes it."""
    return f"pyspark{_range(SPARKS[0].minor)}"


def requirement_of_client() -> str:
    """Return the range of pyspark-client's versions: there is one since Spark 4.0."""
    return f"pyspark-client{_range('4.0')}"


def _range(first: str) -> str:
    major, minor = SPARKS[-1].minor.split(".")
    return f">={first},<{major}.{int(minor) + 1}"
