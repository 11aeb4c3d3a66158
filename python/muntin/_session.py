"""Brings the jar into sessions. The one module that reaches through py4j."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from py4j.java_gateway import JavaPackage
from py4j.protocol import Py4JJavaError
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from muntin import _jar
from muntin._errors import MuntinError
from muntin._version import __version__


def configure(builder: SparkSession.Builder, *, jars: Sequence[str] = ()) -> SparkSession.Builder:
    """Have the session that ``builder`` begins run with Muntin.

    Works for a classic session and for a local Spark Connect one (``remote("local[*]")``). A
    Connect server elsewhere has to be started with the jar itself: see :func:`register`.

    Parameters
    ----------
    builder : SparkSession.Builder
        The builder of a session yet to begin.
    jars : sequence of str, optional
        Other jars that the session needs. The setting ``spark.jars`` holds them all, so what it
        had before is replaced; name here what it has to keep.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    MuntinError
        If the installed PySpark is not one that the jar was built for.

    Warns
    -----
    UserWarning
        If a session runs already: ``getOrCreate()`` returns that one, without Muntin.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import SparkSession
    >>> builder = mt.configure(SparkSession.builder.appName("flights"))  # doctest: +SKIP
    >>> spark = builder.getOrCreate()  # doctest: +SKIP
    """
    if isinstance(builder, type) or not hasattr(builder, "getOrCreate"):
        raise TypeError(
            f"configure() takes a builder, such as SparkSession.builder, not {builder!r}; "
            "for a session that runs already there is register()"
        )
    own = _jar.find()
    own.require(pyspark_version)
    if SparkSession.getActiveSession() is not None:
        warnings.warn(
            "A Spark session runs already, and the builder will return it as it is. Use "
            "spark = mt.register(spark) to bring Muntin into it.",
            stacklevel=2,
        )
    # A local Connect server takes the setting when it begins, and then declines to take it again.
    warnings.filterwarnings("ignore", message=r"Failed to set spark\.jars to .*muntin-spark-")
    return builder.config("spark.jars", ",".join([*jars, str(own.path)]))


def register(spark: SparkSession) -> SparkSession:
    """Bring Muntin into a classic session that runs already.

    Parameters
    ----------
    spark : SparkSession
        A running session.

    Returns
    -------
    SparkSession
        The session to use from then on: ``spark`` itself where it has Muntin, else a clone of it
        with the same settings, temporary views and functions. (The two share their planner's
        strategies, so the window functions of ``spark`` run with Muntin from then on, too.)

    Raises
    ------
    MuntinError
        If Spark is not one that the jar was built for, or another version of the jar is loaded, or
        ``spark`` is a Spark Connect client whose server does not have Muntin: the message has the
        command that starts a server with it.

    Examples
    --------
    >>> import muntin as mt
    >>> spark = mt.register(spark)
    >>> spark.sql("SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM range(3)").show()
    +---+
    |  s|
    +---+
    |  0|
    |  1|
    |  3|
    +---+
    """
    if type(spark).__module__.startswith("pyspark.sql.connect."):
        if is_active(spark):
            return spark
        raise MuntinError(server_command())
    if not isinstance(spark, SparkSession):
        raise TypeError(f"register() takes a SparkSession, not {spark!r}")

    jvm: Any = spark._jvm
    entry = jvm.io.muntin.Muntin
    if isinstance(entry, JavaPackage):  # py4j's word for a class that is not there
        own = _jar.find()
        own.require(spark.version)
        spark.sql(f"ADD JAR '{own.path.as_uri()}'")
        entry = jvm.io.muntin.Muntin
        if isinstance(entry, JavaPackage):
            # Spark escapes a path with spaces or the like once too often for the driver.
            url = jvm.java.net.URL(own.path.as_uri())
            spark._jsparkSession.sharedState().jarClassLoader().addURL(url)
            entry = jvm.io.muntin.Muntin
        if isinstance(entry, JavaPackage):
            raise MuntinError(
                f"Spark did not load {own.path}. Begin the session with it instead: "
                "mt.configure(SparkSession.builder).getOrCreate()"
            )
    loaded = entry.version()
    if loaded != __version__:
        raise MuntinError(
            f"Spark has the jar of muntin {loaded} on its class path, and the Python package is "
            f"muntin {__version__}. Take one version of both: pip install muntin=={loaded}, or "
            "give Spark the package's own jar, which `python -m muntin jar` names."
        )
    try:
        session = entry.register(spark._jsparkSession)
    except Py4JJavaError as error:
        raise MuntinError(str(error.java_exception.getMessage())) from error
    if session.equals(spark._jsparkSession):
        return spark
    return SparkSession(spark.sparkContext, session)


def is_active(spark: SparkSession) -> bool:
    """Return whether the window functions of ``spark`` run with Muntin, classic or Connect."""
    plan = spark.sql("EXPLAIN SELECT sum(id) OVER (ORDER BY id) FROM range(1)").first()
    return plan is not None and "MuntinWindow" in plan[0]


def server_command() -> str:
    try:
        jar = _jar.jar()
    except MuntinError:
        jar = f"muntin-spark-{_jar.minor(pyspark_version)}_2.13-{__version__}.jar"
    return (
        "A Spark Connect client cannot register Muntin, because it runs in the server. Start the "
        f'server with it:\n\n    "$SPARK_HOME"/sbin/start-connect-server.sh --jars {jar}\n\n'
        "and a local one so: "
        'mt.configure(SparkSession.builder.remote("local[*]")).getOrCreate()'
    )
