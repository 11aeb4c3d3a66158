"""The JVM of this process. The one module that reaches through py4j, and loads it when it must.

A client of Spark Connect may have neither: py4j and SparkContext are imported where they are
needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from pyspark.sql import SparkSession

from muntin import _jar, _paths
from muntin._errors import MuntinError
from muntin._version import __version__

# One session begins at a time.
_beginning = RLock()


@contextmanager
def loading(jars: Sequence[str]) -> Iterator[None]:
    """Bring Muntin and ``jars`` into the JVM, also where it begins only here with a session.

    They are on the class path before there is a context, as those of ``--jars`` are. Spark's own
    setting would replace what the user has set, and nobody reads it where the JVM runs already.
    """
    from pyspark import SparkContext

    found: list[str] = []

    def load_all() -> None:
        load(SparkContext._jvm)
        if jars and not found:
            found.extend(_load_others(SparkContext._jvm, jars))

    def begin_and_load(instance: Any = None, gateway: Any = None, conf: Any = None) -> None:
        begin(None, gateway, conf)
        load_all()
        begin(instance, gateway, conf)

    with _beginning:
        # Between Spark's own launch of a JVM, whatever its settings and its mode, and its context
        # there is no other place.
        if SparkContext._gateway is not None:
            load_all()
        declared = vars(SparkContext)["_ensure_initialized"]
        begin = SparkContext._ensure_initialized
        SparkContext._ensure_initialized = begin_and_load  # type: ignore[method-assign]
        try:
            yield
        finally:
            SparkContext._ensure_initialized = declared  # type: ignore[method-assign]
    context = SparkContext._active_spark_context
    if context is not None:
        for jar in found:
            context._jsc.addJar(jar)


def load(jvm: Any) -> bool:
    """Have Muntin on the class path of the driver, and return whether it is there.

    The session's extensions hand the jar on to executors.
    """
    if _class(jvm.io.muntin.Muntin) is None:
        own = _own(jvm)
        loader = _loader(jvm)
        if loader is not None:
            loader.addURL(_url(jvm, own.path))
    entry = _class(jvm.io.muntin.Muntin)
    if entry is None:
        return False
    loaded = entry.version()
    if loaded != __version__:
        raise MuntinError("MUNTIN_JAR_OF_OTHER_VERSION", jar=loaded, package=__version__)
    return True


def _load_others(jvm: Any, jars: Sequence[str]) -> list[str]:
    """Put jars on the class path of the driver, and return where executors find them."""
    helper = jvm.org.apache.spark.util.DependencyUtils
    conf = jvm.org.apache.spark.SparkConf()
    hadoop = jvm.org.apache.spark.deploy.SparkHadoopUtil.get().newConfiguration(conf)
    # As spark-submit does it: patterns, and what lies elsewhere. It leaves the jar out that is the
    # program itself, and there is none.
    named = ",".join(_paths.address(jar) for jar in jars)
    found = helper.resolveAndDownloadJars(named, "/no program", conf, hadoop)
    loader = _loader(jvm)
    if loader is not None:
        helper.addJarsToClassPath(found, loader)
    return [jar for jar in found.split(",") if jar]


def is_active(spark: SparkSession) -> bool:
    """Return whether a classic session has Muntin."""
    jvm: Any = spark._jvm
    registration = _class(jvm.org.apache.spark.sql.muntin.Registration)
    return registration is not None and bool(registration.isActive(spark._jsparkSession))


def register(spark: SparkSession) -> None:
    """Put in the place of the JVM's session behind ``spark`` a clone that has Muntin."""
    from py4j.protocol import Py4JJavaError

    jvm: Any = spark._jvm
    if not load(jvm):
        # A JVM that spark-submit did not begin.
        own = _own(jvm).path
        spark.sql(f"ADD JAR '{own.as_uri()}'")
        if not load(jvm):
            # Spark escapes a path with spaces or the like once too often for the driver.
            loader = spark._jsparkSession.sharedState().jarClassLoader()
            loader.addURL(_url(jvm, own))
        if not load(jvm):
            raise MuntinError("MUNTIN_JAR_NOT_LOADED", jar=own)
    try:
        session = jvm.io.muntin.Muntin.register(spark._jsparkSession)
    except Py4JJavaError as error:
        raise MuntinError(
            "MUNTIN_REGISTRATION_FAILED", error=error.java_exception.getMessage()
        ) from error
    if not session.equals(spark._jsparkSession):
        _put_in_place(spark, session)


def _put_in_place(spark: SparkSession, session: Any) -> None:
    jvm: Any = spark._jvm
    former = spark._jsparkSession
    # Spark 4.0 has moved it.
    sessions = _class(jvm.org.apache.spark.sql.classic.SparkSession)
    sessions = sessions or jvm.org.apache.spark.sql.SparkSession
    for current, make_current in [
        (sessions.getDefaultSession(), sessions.setDefaultSession),
        (sessions.getActiveSession(), sessions.setActiveSession),
    ]:
        if current.isDefined() and current.get().equals(former):
            make_current(session)
    for held in (spark, SparkSession._instantiatedSession, SparkSession._activeSession):
        if held is not None and held._jsparkSession.equals(former):
            held._jsparkSession = session
            cached = [n for n, v in vars(SparkSession).items() if isinstance(v, cached_property)]
            for name in [*cached, "_conf", "_catalog"]:  # the latter in Spark 3.5
                held.__dict__.pop(name, None)


def _own(jvm: Any) -> _jar.Jar:
    """Return the package's jar for the Spark that runs in this JVM."""
    version = jvm.org.apache.spark.package.SPARK_VERSION()
    return _jar.find(version, jvm.scala.util.Properties.versionNumberString())


def _class(found: Any) -> Any:
    from py4j.java_gateway import JavaPackage  # py4j's word for a class that is not there

    return None if isinstance(found, JavaPackage) else found


def _url(jvm: Any, path: Path) -> Any:
    return jvm.java.io.File(str(path)).toURI().toURL()


def _loader(jvm: Any) -> Any:
    """Return the class loader to which spark-submit adds the jars of ``--jars``, if there is one.

    Threads have it, or one that asks it first.
    """
    kind = jvm.java.lang.Class.forName("org.apache.spark.util.MutableURLClassLoader")
    found, loader = None, jvm.java.lang.Thread.currentThread().getContextClassLoader()
    while loader is not None:
        if kind.isInstance(loader):
            found = loader
        loader = loader.getParent()
    return found
