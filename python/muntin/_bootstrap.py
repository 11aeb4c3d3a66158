"""The patches of pyspark, and its private names.

No other module of the package patches pyspark or uses its private names. Each patch has a fallback
for a pyspark that lacks the name; tests/python/test_bootstrap.py runs the fallbacks.

A client of Spark Connect may not have py4j, so only the functions that need py4j import it.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from muntin._errors import MuntinError

_JARS = "_muntin_jars"

# One session starts at a time.
_starting = RLock()


def replace_method(target: object, name: str, method: Callable[..., Any]) -> bool:
    """Replace a method of one object, and return whether the object allows it."""
    try:
        setattr(target, name, method)
    except AttributeError:
        return False
    return True


def intercept(
    builder: SparkSession.Builder,
    jars: Sequence[str],
    start: Callable[[SparkSession.Builder, Callable[[], SparkSession]], SparkSession],
) -> None:
    """Replace the builder's method that creates sessions by ``start``, which receives the method.

    The builder has all of its options only at this time. :func:`jars_of` returns ``jars``.
    """
    if jars and not hasattr(builder, "_options"):
        raise MuntinError("MUNTIN_BUILDER_WITHOUT_OPTIONS", jars=jars)
    methods = {
        name: functools.partial(getattr(type(builder), name), builder)
        for name in ("getOrCreate", "create")
        if hasattr(type(builder), name)
    }
    is_replaced = [
        replace_method(builder, name, functools.partial(start, builder, method))
        for name, method in methods.items()
    ]
    if not is_replaced or not all(is_replaced):
        raise MuntinError("MUNTIN_FIXED_BUILDER", builder=type(builder).__name__)
    setattr(builder, _JARS, [*jars_of(builder), *jars])


def jars_of(builder: SparkSession.Builder) -> list[str]:
    """Return the jars that :func:`intercept` received for the builder."""
    jars: list[str] = getattr(builder, _JARS, [])
    return jars


def options(builder: SparkSession.Builder) -> Mapping[str, Any]:
    """Return the options of the builder, or none if the builder does not show them.

    In that case only the environment determines whether the session is a Spark Connect session.
    """
    found: Mapping[str, Any] = getattr(builder, "_options", {})
    return found


def acts_before_context() -> bool:
    """Return whether :func:`before_context` can act before a context starts."""
    from pyspark import SparkContext

    return "_ensure_initialized" in vars(SparkContext)


@contextmanager
def before_context(action: Callable[[Any], None]) -> Iterator[None]:
    """Call ``action`` with the JVM before a context starts in it, or now if a context is running.

    pyspark starts the JVM and the context in one method, so only a patch can act between the two. A
    setting cannot: in the builder it replaces the user's setting, and a running JVM does not read
    it. Without the private method, ``action`` is called at the end of the body.
    """
    from pyspark import SparkContext

    with _starting:
        if running_jvm() is not None:
            action(running_jvm())
        if not acts_before_context():
            yield
            if running_jvm() is not None:
                action(running_jvm())
            return
        declared = vars(SparkContext)["_ensure_initialized"]
        initialize = SparkContext._ensure_initialized

        def act_and_initialize(instance: Any = None, gateway: Any = None, conf: Any = None) -> None:
            initialize(None, gateway, conf)  # starts the JVM
            action(running_jvm())
            initialize(instance, gateway, conf)

        SparkContext._ensure_initialized = act_and_initialize  # type: ignore[method-assign]
        try:
            yield
        finally:
            SparkContext._ensure_initialized = declared  # type: ignore[method-assign]


def running_jvm() -> Any:
    """Return the JVM of this process, or None if there is none."""
    from pyspark import SparkContext

    return _private(SparkContext, "_jvm")


def running_context() -> Any:
    """Return the JVM's context of this process, or None if there is none."""
    from pyspark import SparkContext

    context = _private(SparkContext, "_active_spark_context")
    return None if context is None else _private(context, "_jsc")


def jvm_of(spark: SparkSession) -> Any:
    """Return the JVM of a classic session."""
    return _private(spark, "_jvm")


def java_session(spark: SparkSession) -> Any:
    """Return the JVM's session of a classic session."""
    return _private(spark, "_jsparkSession")


def replace_java_session(spark: SparkSession, session: Any) -> None:
    """Replace the JVM session of ``spark`` by another.

    The sessions that pyspark keeps change as well, if they have the same JVM session.
    """
    former = java_session(spark)
    names = ("_instantiatedSession", "_activeSession")
    for held in (spark, *(getattr(SparkSession, name, None) for name in names)):
        if held is not None and java_session(held).equals(former):
            held._jsparkSession = session
            attributes = vars(SparkSession).items()
            cached = [n for n, v in attributes if isinstance(v, functools.cached_property)]
            for name in [*cached, "_conf", "_catalog"]:  # the latter in Spark 3.5
                held.__dict__.pop(name, None)


def sessions() -> list[SparkSession]:
    """Return all sessions of this process. Spark keeps no list of them.

    A Python without ``gc.get_objects`` raises an AttributeError.
    """
    connect = sys.modules.get("pyspark.sql.connect.session")
    kinds = (SparkSession,) if connect is None else (SparkSession, connect.SparkSession)
    return [found for found in gc.get_objects() if issubclass(type(found), kinds)]


def append_to_message(error: BaseException, text: str) -> None:
    """Append a sentence to the message of an error of pyspark."""
    message = getattr(error, "_message", None)
    if message is not None:
        error._message = f"{message} {text}"  # type: ignore[attr-defined]
    elif hasattr(error, "add_note"):  # since Python 3.11
        error.add_note(text)


def _private(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        kind = owner if isinstance(owner, type) else type(owner)
        raise MuntinError(
            "MUNTIN_JVM_NOT_REACHABLE",
            pyspark=pyspark.__version__,
            name=f"{kind.__name__}.{name}",
        ) from None
