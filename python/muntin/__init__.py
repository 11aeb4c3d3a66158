"""Window motions over Spark's aggregates: the Python side of the Muntin jar.

The work is done by a jar that plugs into Spark's planner. This package carries the jar and brings
it into a session; queries stay as they are::

    import muntin as mt

    spark = mt.configure(SparkSession.builder).getOrCreate()  # a session yet to begin
    spark = mt.register(spark)                                # a classic one that runs already

``python -m muntin doctor`` says whether everything fits.
"""

from muntin._errors import MuntinError
from muntin._jar import jar
from muntin._session import configure, register
from muntin._version import __version__

__all__ = ["MuntinError", "__version__", "configure", "jar", "register", "version"]


def version() -> str:
    """Return the version of this package, which is also that of its jar.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.version() in mt.jar()
    True
    """
    return __version__
