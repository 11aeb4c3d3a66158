"""The JVM of this process. Only this module uses py4j.

A client of Spark Connect may not have py4j, so only functions import it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from muntin import _bootstrap, _jar, _paths
from muntin._errors import MuntinError
from muntin._version import __version__


@contextmanager
def loading(jars: Sequence[str]) -> Iterator[None]:
    """Load Muntin and ``jars`` into the JVM, also if the JVM starts here with a session.

    They are on the class path before a context exists, as the jars of ``--jars`` are. Spark's
    setting would replace the user's setting, and a running JVM does not read it.
    """
    found: list[str] = []

    def load_all(jvm: Any) -> None:
        load(jvm)
        if jars and not found:
            found.extend(_load_others(jvm, jars))

    with _bootstrap.before_context(load_all):
        yield
    context = _bootstrap.running_context() if found else None
    if context is not None:
        for jar in found:
            context.addJar(jar)


def load(jvm: Any) -> bool:
    """Add Muntin to the class path of the driver, and return whether the driver finds it.

    The session's extensions send the jar to executors.
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
    """Add jars to the class path of the driver, and return their addresses for executors."""
    helper = jvm.org.apache.spark.util.DependencyUtils
    conf = jvm.org.apache.spark.SparkConf()
    hadoop = jvm.org.apache.spark.deploy.SparkHadoopUtil.get().newConfiguration(conf)
    # Resolves patterns and remote jars as spark-submit does. spark-submit also omits the jar of the
    # program; this program has no jar.
    named = ",".join(_paths.address(jar) for jar in jars)
    found = helper.resolveAndDownloadJars(named, "/no program", conf, hadoop)
    loader = _loader(jvm)
    if loader is not None:
        helper.addJarsToClassPath(found, loader)
    return [jar for jar in found.split(",") if jar]


def is_active(spark: SparkSession) -> bool:
    """Return whether a classic session has Muntin."""
    registration = _class(_bootstrap.jvm_of(spark).org.apache.spark.sql.muntin.Registration)
    return registration is not None and bool(registration.isActive(_bootstrap.java_session(spark)))


def register(spark: SparkSession) -> None:
    """Replace the JVM session of ``spark`` by a clone that has Muntin."""
    from py4j.protocol import Py4JJavaError

    jvm = _bootstrap.jvm_of(spark)
    if not load(jvm):
        # spark-submit did not start this JVM.
        own = _own(jvm).path
        spark.sql(f"ADD JAR '{own.as_uri()}'")
        if not load(jvm):
            # For the driver, Spark escapes a path with special characters once too often.
            loader = _bootstrap.java_session(spark).sharedState().jarClassLoader()
            loader.addURL(_url(jvm, own))
        if not load(jvm):
            raise MuntinError("MUNTIN_JAR_NOT_LOADED", jar=own)
    try:
        session = jvm.io.muntin.Muntin.register(_bootstrap.java_session(spark))
    except Py4JJavaError as error:
        raise MuntinError(
            "MUNTIN_REGISTRATION_FAILED", error=error.java_exception.getMessage()
        ) from error
    if not session.equals(_bootstrap.java_session(spark)):
        _put_in_place(spark, session)


def _put_in_place(spark: SparkSession, session: Any) -> None:
    jvm, former = _bootstrap.jvm_of(spark), _bootstrap.java_session(spark)
    # Spark 4.0 has moved the class.
    sessions = _class(jvm.org.apache.spark.sql.classic.SparkSession)
    sessions = sessions or jvm.org.apache.spark.sql.SparkSession
    for current, make_current in [
        (sessions.getDefaultSession(), sessions.setDefaultSession),
        (sessions.getActiveSession(), sessions.setActiveSession),
    ]:
        if current.isDefined() and current.get().equals(former):
            make_current(session)
    _bootstrap.replace_java_session(spark, session)


def _own(jvm: Any) -> _jar.Jar:
    """Return the package's jar for the Spark that runs in this JVM."""
    version = jvm.org.apache.spark.package.SPARK_VERSION()
    return _jar.find(version, jvm.scala.util.Properties.versionNumberString())


def _class(found: Any) -> Any:
    from py4j.java_gateway import JavaPackage  # py4j returns it for a missing class

    return None if isinstance(found, JavaPackage) else found


def _url(jvm: Any, path: Path) -> Any:
    return jvm.java.io.File(str(path)).toURI().toURL()


def _loader(jvm: Any) -> Any:
    """Return the class loader to which spark-submit adds the jars of ``--jars``, if it exists.

    It is the class loader of a thread, or a parent of it.
    """
    kind = jvm.java.lang.Class.forName("org.apache.spark.util.MutableURLClassLoader")
    found, loader = None, jvm.java.lang.Thread.currentThread().getContextClassLoader()
    while loader is not None:
        if kind.isInstance(loader):
            found = loader
        loader = loader.getParent()
    return found
