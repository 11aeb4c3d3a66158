"""Brings the jar into sessions."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from muntin import _calls, _jar, _jvm, _kinds, _paths, _settings, _spark_here
from muntin._errors import MuntinError

_JARS = "_muntin_jars"


def configure(
    builder: SparkSession.Builder, *, jars: Sequence[str] = (), real_time: bool = False
) -> SparkSession.Builder:
    r"""Have the session that ``builder`` gives run with Muntin.

    ``getOrCreate()`` and ``create()`` of the builder bring the jar into the driver and to the
    executors, whether or not a JVM is there already (``spark-submit job.py``) or a session runs,
    which is then registered: see :func:`register`. What jars and packages are set elsewhere
    (``--jars``, ``spark.jars``, ``spark.jars.packages``) stays.

    Works for a classic session and for a local Spark Connect one (``remote("local[*]")``). A
    Connect server elsewhere has to be started with the jar itself: ``getOrCreate()`` says so where
    it was not.

    If ``spark.muntin.enabled=false`` or the environment variable ``MUNTIN_ENABLED=false`` turns
    Muntin off, the session comes without Muntin, with a warning.

    Parameters
    ----------
    builder : SparkSession.Builder
        The builder of a session.
    jars : sequence of str, optional
        Other jars that the session needs, beside those that are set elsewhere: paths or addresses;
        paths of Windows (``C:\jars\other.jar``), too.
    real_time : bool, optional
        If true, set ``spark.sql.streaming.realTimeMode.allowlistCheck=false``: in real-time mode
        (Spark 4.3 and later) Spark then runs operators that are not on its own list, such as
        Muntin's windows. This setting holds for all queries of the session.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    TypeError
        If ``builder`` is no builder, ``jars`` no sequence of str, or ``real_time`` no bool.
    MuntinError
        If there is no jar for the Spark that is installed. From ``getOrCreate()``: if
        Spark has another version of the jar, or the session is that of a Connect server that does
        not have Muntin; the message has the command that starts a server with it.

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
    if isinstance(jars, str) or not all(isinstance(jar, str) for jar in jars):
        raise TypeError(f"configure: jars is {jars!r}; expected is a list of paths")
    if not isinstance(real_time, bool):
        raise TypeError(f"configure: real_time is {real_time!r}; expected a bool")
    if not _is_for_elsewhere(builder):
        _require_jars()
    setattr(builder, _JARS, [*getattr(builder, _JARS, ()), *jars])
    if real_time:
        builder.config("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    for name in ("getOrCreate", "create"):
        # Only then everything is known that the builder is told, and a JVM may begin.
        begin = partial(getattr(type(builder), name), builder)
        setattr(builder, name, partial(_begin, builder, begin))
    return builder


def _require_jars() -> None:
    # Of which Scala Spark is, and whether it has a jar from elsewhere, is known when it runs.
    spark = _spark_here.find()
    if spark is not None:
        _jar.of_spark(spark.version)


def _begin(builder: SparkSession.Builder, begin: Callable[[], SparkSession]) -> SparkSession:
    jars = getattr(builder, _JARS)
    if _is_for_elsewhere(builder):
        if jars:
            raise MuntinError(
                f"configure: jars is {jars!r}, and a Spark Connect server elsewhere takes its jars "
                "when it starts. Start it with --jars, or give it to one session by "
                "spark.addArtifacts(…)."
            )
        spark = begin()
    elif _is_server_of_its_own(builder):
        if jars:
            _add_to_setting(builder, jars)
        with _on_class_path_of_new(_jar.here().path):
            spark = begin()
    else:
        try:
            with _jvm.loading(jars):
                spark = begin()
        except Exception as error:
            _advise(error)
            raise
    _settings.warn_of_unknown(builder._options, stacklevel=2)
    return spark if _calls.is_active(spark) else _register(spark)


def _advise(error: Any) -> None:
    """Add to Spark's error that the JVM did not start how to find out why."""
    if "JAVA_GATEWAY_EXITED" in str(error) and hasattr(error, "_message"):
        error._message = (
            f"{error._message} To find out what is missing, run: python -m muntin doctor"
        )


def _is_for_elsewhere(builder: SparkSession.Builder) -> bool:
    """Return whether the session is that of a Spark Connect server outside this process."""
    if _calls.is_client(builder) or _spark_here.is_client_alone():
        return True
    remote = builder._options.get("spark.remote", os.environ.get("SPARK_REMOTE", ""))
    return str(remote).startswith("sc://")


def _is_server_of_its_own(builder: SparkSession.Builder) -> bool:
    """Return whether the server is local, but in a process that outlives this one."""
    reuse = builder._options.get(
        "spark.local.connect.reuse", os.environ.get("SPARK_LOCAL_CONNECT_REUSE", "")
    )
    remote = builder._options.get("spark.remote", os.environ.get("SPARK_REMOTE", ""))
    return str(remote).startswith("local") and str(reuse).lower() in ("1", "true")


@contextmanager
def _on_class_path_of_new(jar: Path) -> Iterator[None]:
    """Have Spark's launcher put the jar on the class path of what begins now.

    A setting of the builder's would have the server not read spark-defaults.conf.
    """
    name = "SPARK_DIST_CLASSPATH"
    former = os.environ.get(name)
    os.environ[name] = os.pathsep.join([*([former] if former else []), str(jar)])
    try:
        yield
    finally:
        if former is None:
            del os.environ[name]
        else:
            os.environ[name] = former


def _add_to_setting(builder: SparkSession.Builder, jars: Sequence[str]) -> None:
    # The server takes the setting when it begins, and then declines to take it again.
    warnings.filterwarnings("ignore", message=r"Failed to set spark\.jars to ")
    present = [jar for jar in builder._options.get("spark.jars", "").split(",") if jar]
    builder.config("spark.jars", ",".join(dict.fromkeys([*present, *map(_paths.address, jars)])))


def register(spark: SparkSession) -> SparkSession:
    """Bring Muntin into a classic session that runs already.

    ``spark`` is the session with Muntin from then on, and so are those that
    ``SparkSession.getActiveSession()`` and ``SparkSession.builder.getOrCreate()`` return, where
    ``spark`` was the one. Behind it, a clone of what it was has Muntin: with the same settings,
    temporary views and functions.

    DataFrames made before stay with what it was. They run as before, with their window functions
    by Muntin; Muntin's own functions they do not know, and views made of them afterwards are not
    seen in ``spark``. Make them again: ``spark.table(…)``, ``spark.read…``. Streaming queries that
    run go on, and ``spark.streams`` does not list them any more.

    If ``spark.muntin.enabled=false`` or the environment variable ``MUNTIN_ENABLED=false`` turns
    Muntin off, ``spark`` stays without Muntin, and there is a warning.

    Parameters
    ----------
    spark : SparkSession
        A running session.

    Returns
    -------
    SparkSession
        ``spark``.

    Raises
    ------
    TypeError
        If ``spark`` is no SparkSession.
    MuntinError
        If there is no jar for the Spark that runs, or another version of the jar is loaded, or
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
    if not _kinds.is_session(spark):
        raise TypeError(f"register() takes a SparkSession, not {spark!r}")
    return _register(spark)


def _register(spark: SparkSession) -> SparkSession:
    off = None if _calls.is_active(spark) else _calls.why_off(spark)
    if off is not None:
        # The switch belongs to whoever runs the program: the program runs without Muntin.
        warnings.warn(off, stacklevel=3)
    elif not _calls.is_client(spark):
        _jvm.register(spark)
    elif not _calls.is_active(spark):
        raise MuntinError(_calls.server_command(spark))
    return spark
