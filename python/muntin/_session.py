"""Adds the jar to sessions."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from muntin import _bootstrap, _calls, _jar, _jvm, _kinds, _paths, _settings, _spark_here
from muntin._errors import MuntinError, invalid_type


def configure(
    builder: SparkSession.Builder, *, jars: Sequence[str] = (), real_time: bool = False
) -> SparkSession.Builder:
    r"""Add Muntin to the session that ``builder`` returns.

    ``getOrCreate()`` and ``create()`` of the builder add the jar to the driver and the executors,
    also if a JVM exists (``spark-submit job.py``). If a session is running, they register it: see
    :func:`register`. Jars and packages from other settings (``--jars``, ``spark.jars``,
    ``spark.jars.packages``) do not change.

    It supports classic sessions and local Spark Connect sessions (``remote("local[*]")``). A remote
    Connect server must be started with the jar; otherwise ``getOrCreate()`` raises an error.

    If ``spark.muntin.enabled=false`` or the environment variable ``MUNTIN_ENABLED=false`` turns
    Muntin off, the session does not have Muntin, and there is a warning.

    Parameters
    ----------
    builder : SparkSession.Builder
        The builder of a session.
    jars : sequence of str, optional
        Other jars that the session needs, in addition to other settings: paths or addresses, also
        Windows paths (``C:\jars\other.jar``).
    real_time : bool, optional
        If true, set ``spark.sql.streaming.realTimeMode.allowlistCheck=false``: in real-time mode
        (Spark 4.3 and later) Spark then runs operators that are not on its own list, such as
        Muntin's windows. This setting applies to all queries of the session.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    TypeError
        If ``builder`` is not a builder, ``jars`` is not a sequence of str, or ``real_time`` is
        not a bool.
    MuntinError
        If Muntin does not have a jar for the installed Spark. From ``getOrCreate()``: if Spark has
        another version of the jar, or if the session's Connect server does not have Muntin. The
        message shows the command that starts a server with Muntin.

    Examples
    --------
    >>> import muntin as mt
    >>> from pyspark.sql import SparkSession
    >>> builder = mt.configure(SparkSession.builder.appName("flights"))  # doctest: +SKIP
    >>> spark = builder.getOrCreate()  # doctest: +SKIP
    """
    if isinstance(builder, type) or not hasattr(builder, "getOrCreate"):
        expected = "a builder such as SparkSession.builder. For a running session call register()"
        raise invalid_type("configure", "builder", builder, expected)
    if isinstance(jars, str) or not all(isinstance(jar, str) for jar in jars):
        raise invalid_type("configure", "jars", jars, "a list of paths")
    if not isinstance(real_time, bool):
        raise invalid_type("configure", "real_time", real_time, "a bool")
    if not _is_for_elsewhere(builder):
        _require_jars()
    _bootstrap.intercept(builder, jars, _begin)
    if real_time:
        builder.config("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    return builder


def _require_jars() -> None:
    # Only a running Spark shows its Scala, and a jar from another setting.
    spark = _spark_here.find()
    if spark is not None:
        _jar.of_spark(spark.version)


def _begin(builder: SparkSession.Builder, begin: Callable[[], SparkSession]) -> SparkSession:
    jars = _bootstrap.jars_of(builder)
    if _is_for_elsewhere(builder):
        if jars:
            raise MuntinError("MUNTIN_JARS_ON_CONNECT_CLIENT", jars=jars)
        spark = begin()
    elif _is_server_of_its_own(builder):
        if jars:
            _add_to_setting(builder, jars)
        with _on_class_path_of_new(_jar.here().path):
            spark = begin()
    else:
        is_early = _bootstrap.acts_before_context()
        place = nullcontext() if is_early else _on_class_path_of_new(_jar.here().path)
        try:
            with place, _jvm.loading(jars):
                spark = begin()
        except Exception as error:
            _advise(error)
            raise
    _settings.warn_of_unknown(_bootstrap.options(builder), stacklevel=2)
    return spark if _calls.is_active(spark) else _register(spark)


def _advise(error: Any) -> None:
    """Add a hint to Spark's error about the JVM: how to find its cause."""
    if "JAVA_GATEWAY_EXITED" in str(error):
        text = "To find out what is missing, run: python -m muntin doctor"
        _bootstrap.append_to_message(error, text)


def _is_for_elsewhere(builder: SparkSession.Builder) -> bool:
    """Return whether the session belongs to a Spark Connect server outside this process."""
    if _calls.is_client(builder) or _spark_here.is_client_alone():
        return True
    return _remote(builder).startswith("sc://")


def _is_server_of_its_own(builder: SparkSession.Builder) -> bool:
    """Return whether the server is local, but in a process that outlives this one."""
    reuse = _bootstrap.options(builder).get(
        "spark.local.connect.reuse", os.environ.get("SPARK_LOCAL_CONNECT_REUSE", "")
    )
    return _remote(builder).startswith("local") and str(reuse).lower() in ("1", "true")


def _remote(builder: SparkSession.Builder) -> str:
    options = _bootstrap.options(builder)
    return str(options.get("spark.remote", os.environ.get("SPARK_REMOTE", "")))


@contextmanager
def _on_class_path_of_new(jar: Path) -> Iterator[None]:
    """Make Spark's launcher add the jar to the class path of the next process.

    With a setting in the builder, the server would not read spark-defaults.conf.
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
    # The server accepts the setting at its start, and rejects it later.
    warnings.filterwarnings("ignore", message=r"Failed to set spark\.jars to ")
    present = [jar for jar in _bootstrap.options(builder).get("spark.jars", "").split(",") if jar]
    builder.config("spark.jars", ",".join(dict.fromkeys([*present, *map(_paths.address, jars)])))


def register(spark: SparkSession) -> SparkSession:
    """Add Muntin to a running classic session.

    After the call, ``spark`` has Muntin. So do the sessions that
    ``SparkSession.getActiveSession()`` and ``SparkSession.builder.getOrCreate()`` return, if they
    returned ``spark`` before. Internally, ``spark`` then uses a clone of its JVM session, with the
    same settings, temporary views and functions.

    DataFrames that were created before keep the previous JVM session. Muntin runs their window
    functions, but they cannot use Muntin's own functions, and ``spark`` does not see views that are
    created from them later. Create them again: ``spark.table(…)``, ``spark.read…``. Running
    streaming queries continue, but ``spark.streams`` does not list them.

    If ``spark.muntin.enabled=false`` or the environment variable ``MUNTIN_ENABLED=false`` turns
    Muntin off, ``spark`` does not get Muntin, and there is a warning.

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
        If ``spark`` is not a SparkSession.
    MuntinError
        If Muntin does not have a jar for the running Spark, if another version of the jar is
        loaded, or if ``spark`` is a Spark Connect client whose server does not have Muntin. The
        message shows the command that starts a server with Muntin.

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
        raise invalid_type("register", "spark", spark, "a SparkSession")
    return _register(spark)


def _register(spark: SparkSession) -> SparkSession:
    off = None if _calls.is_active(spark) else _calls.turned_off(spark)
    if off is not None:
        # The operator of the program has set the switch, so the program runs without Muntin.
        warnings.warn(str(off), stacklevel=3)
    elif not _calls.is_client(spark):
        _jvm.register(spark)
    elif not _calls.is_active(spark):
        raise _calls.not_active("register", spark)
    return spark
