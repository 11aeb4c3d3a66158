from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from muntin._errors import MuntinError
from muntin._version import __version__

_FOLDER = Path(__file__).parent / "jars"
_NAME = re.compile(r"muntin-spark-(?P<spark>\d+\.\d+)_(?P<scala>\d+\.\d+)-(?P<version>.+)\.jar")


@dataclass(frozen=True)
class Jar:
    """The jar in the package, and what its name says."""

    path: Path
    spark: str
    scala: str

    def require(self, spark_version: str) -> None:
        """Raise an error unless the jar was built for the minor of ``spark_version``."""
        if minor(spark_version) != self.spark:
            raise MuntinError(
                f"muntin {__version__} is for Spark {self.spark}, and this is Spark "
                f"{spark_version}. Either install that Spark:\n\n"
                f"    pip install 'pyspark~={self.spark}.0'\n\n"
                "or a release of muntin for the Spark that you have."
            )


def minor(version: str) -> str:
    """Return the minor version that a version of Spark belongs to."""
    return ".".join(version.split(".")[:2])


def find() -> Jar:
    """Return the jar of this version, or raise an error that says how to get it."""
    for path in sorted(_FOLDER.glob("*.jar")):
        name = _NAME.fullmatch(path.name)
        if name and name["version"] == __version__:
            return Jar(path, name["spark"], name["scala"])
    raise MuntinError(
        f"The jar of muntin {__version__} is not in {_FOLDER}. A wheel brings it; in a checkout of "
        "the sources, build it:\n\n    make jar"
    )


def jar() -> str:
    """Return the path of the jar, for ``--jars`` and ``spark.jars``.

    Raises
    ------
    MuntinError
        If the package holds no jar, which is so in a checkout before ``make jar``.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.jar()
    '.../muntin/jars/muntin-spark-...jar'

    In a shell::

        spark-submit --jars "$(python -m muntin jar)" job.py
    """
    return str(find().path)
