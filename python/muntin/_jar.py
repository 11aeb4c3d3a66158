from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from muntin import _spark_here, _sparks
from muntin._errors import MuntinError, MuntinValueError, invalid_type
from muntin._version import __version__

_FOLDER = Path(__file__).parent / "jars"
_NAME = re.compile(r"muntin-spark-(?P<spark>\d+\.\d+)_(?P<scala>\d+\.\d+)-(?P<version>.+)\.jar")


@dataclass(frozen=True)
class Jar:
    """A jar in the package, and the versions in its name."""

    path: Path
    spark: str
    scala: str


def every() -> list[Jar]:
    """Return the jars of this version, the newest Spark last; the list may be empty."""
    found = []
    for path in _FOLDER.glob("*.jar"):
        name = _NAME.fullmatch(path.name)
        if name and name["version"] == __version__:
            found.append(Jar(path, name["spark"], name["scala"]))
    return sorted(found, key=lambda jar: ([int(part) for part in jar.spark.split(".")], jar.scala))


def find(version: str, scala: str | None = None, *, named: bool = False) -> Jar:
    """Return the jar for a version of Spark, or raise an error that shows how to get it.

    If ``scala`` is omitted and jars for several Scalas exist, the jar is for the Scala of PyPI's
    pyspark. If ``named``, the user has specified the version, so the error does not call it the
    running Spark.
    """
    jars = of_spark(version, named=named)
    wanted = _sparks.minor_of(scala) if scala else require(version, named=named).scala
    for jar in jars:
        if jar.scala == wanted:
            return jar
    parameters = {
        "muntin": __version__,
        "spark": version,
        "scala": wanted,
        "jar": f"Spark {jars[0].spark} with Scala {', '.join(jar.scala for jar in jars)}",
    }
    if any((jars[0].spark, wanted) == spark[:2] for spark in _sparks.OF_MAVEN):
        artifact = f"io.muntin:muntin-spark-{jars[0].spark}_{wanted}:{__version__}"
        raise MuntinError("MUNTIN_JAR_IN_MAVEN_ONLY", artifact=artifact, **parameters)
    raise MuntinError("MUNTIN_UNSUPPORTED_SCALA", **parameters)


def of_spark(version: str, *, named: bool = False) -> list[Jar]:
    """Return the jars for a version of Spark, one per Scala, or raise an error with the remedy."""
    spark = require(version, named=named)
    jars = every()
    found = [jar for jar in jars if jar.spark == spark.minor]
    if not found:
        raise _missing(spark.minor, "" if named else version)
    return found


def require(version: str, *, named: bool = False) -> _sparks.Spark:
    """Return the Spark of this version, or raise an error if muntin does not support it."""
    spark = _sparks.spark_of(version)
    if spark is None and named:
        raise MuntinError(
            "MUNTIN_UNKNOWN_SPARK", muntin=__version__, spark=version, supported=_sparks.named()
        )
    if spark is None:
        raise MuntinError(
            "MUNTIN_UNSUPPORTED_SPARK",
            muntin=__version__,
            spark=version,
            supported=_sparks.named(),
            requirement=_sparks.requirement(),
        )
    return spark


def warn_where_there_is_none() -> None:
    """Warn at the import if Muntin does not support the Spark that programs use here."""
    is_elsewhere = "SPARK_REMOTE" in os.environ or _spark_here.is_client_alone()
    spark = None if is_elsewhere else _spark_here.find()
    if spark is not None:
        try:
            require(spark.version)
        except MuntinError as error:
            warnings.warn(str(error), stacklevel=3)


def here() -> Jar:
    """Return the jar for the Spark that programs use here, or raise an error with the remedy."""
    spark = _spark_here.find()
    if spark is not None:
        return find(spark.version, spark.scala)
    jars = every()
    if len(jars) == 1:
        return jars[0]
    if not jars:
        raise _missing()
    raise MuntinError("MUNTIN_SPARK_NOT_FOUND", choices=_named(jars), spark=jars[-1].spark)


def _named(jars: list[Jar]) -> str:
    return ", ".join(dict.fromkeys(jar.spark for jar in jars))


def _missing(spark: str = "", version: str = "") -> MuntinError:
    return MuntinError(
        "MUNTIN_MISSING_JAR",
        muntin=__version__,
        spark=version or spark or _sparks.named(),
        folder=_FOLDER,
        jars=_named(every()) or "none",
        command=f"make jar{spark and f' SPARK={spark}'}",
    )


def jar(spark: str | None = None, scala: str | None = None) -> str:
    """Return the path of the jar, for ``--jars`` and ``spark.jars``.

    Parameters
    ----------
    spark : str, optional
        The version of Spark, such as ``"4.0"`` or ``"4.1.2"``. The default is the Spark that
        programs use here: the Spark in SPARK_HOME, the installed pyspark, or the spark-submit on
        the PATH, in this order.
    scala : str, optional
        The version of Scala of this Spark. If ``spark`` is given, the default is the Scala of
        PyPI's pyspark: 2.12 for Spark 3.5, otherwise 2.13.

    Returns
    -------
    str
        The path of a file in the package.

    Raises
    ------
    TypeError
        If ``spark`` or ``scala`` is not a str.
    ValueError
        If ``scala`` is given without ``spark``.
    MuntinError
        If the jar does not exist: for this Spark, for its Scala, or, in a checkout before
        ``make jar``, for any Spark. The message lists the jars that exist.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.jar()
    '.../muntin/jars/muntin-spark-...jar'

    In a shell::

        spark-submit --jars "$(python -m muntin jar)" job.py
    """
    for name, given in (("spark", spark), ("scala", scala)):
        if not (given is None or isinstance(given, str)):
            raise invalid_type("jar", name, given, "a str such as '4.0'")
    if spark is None and scala is not None:
        raise MuntinValueError("MUNTIN_SCALA_WITHOUT_SPARK", scala=scala)
    return str((here() if spark is None else find(spark, scala, named=True)).path)
