"""Calls Muntin's SQL functions, and raises an error if a session does not have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from muntin import _bootstrap, _jar, _kinds, _settings
from muntin._errors import MuntinError, invalid_type

# A session with Muntin keeps it; a classic session without Muntin may be registered later.
_known: WeakKeyDictionary[SparkSession, bool] = WeakKeyDictionary()

# Whether a session of this process has Muntin. If so, a column may be for that session.
_seen = False


def call(name: str, *arguments: Column) -> Column:
    """Call Muntin's SQL function of this name, or raise an error if no session has it."""
    require(name)
    return _called(name, *arguments)


def sql(
    spark: SparkSession, text: str, arguments: Mapping[str, object], **frames: Any
) -> DataFrame:
    """Run a statement with the arguments in place of ``:name``, as literals.

    Spark's own parameters fail in a session with an extension whose parser does not pass them on,
    as Delta's for Spark 4.1.
    """

    def literal(found: re.Match[str]) -> str:
        value = arguments[found.group(1)]
        if value is None:
            return "NULL"
        if isinstance(value, (bool, int)):
            return str(value).upper()
        text = _quoted(spark, str(value))
        # spark.sql formats the statement.
        return text.replace("{", "{{").replace("}", "}}") if frames else text

    return spark.sql(re.sub(r":(\w+)", literal, text), **frames)


def _quoted(spark: SparkSession, text: str) -> str:
    if spark.conf.get("spark.sql.parser.escapedStringLiterals", "false") == "true":
        quote = '"' if "'" in text else "'"
        return f"{quote}{text}{quote}"
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _called(name: str, *arguments: Column) -> Column:
    # The qualified name, because the session may have another function of this name.
    return F.call_function(f"`muntin.{name}`", *arguments)


def is_active(spark: SparkSession) -> bool:
    """Return whether a session has Muntin, classic or over Spark Connect.

    The first call queries Spark without a job. If the session has Muntin, later calls do not.

    Parameters
    ----------
    spark : SparkSession
        A running session.

    Returns
    -------
    bool
        Whether ``spark`` has Muntin's functions and rules. It is true even if
        ``spark.muntin.over.enabled`` returns the window functions to Spark. It is false if
        ``spark.muntin.enabled=false`` or the environment variable ``MUNTIN_ENABLED=false`` turns
        the whole jar off.

    Raises
    ------
    TypeError
        If ``spark`` is not a SparkSession.

    See Also
    --------
    configure : starts a session with Muntin.
    register : adds Muntin to a running classic session.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.is_active(spark)
    True
    """
    global _seen
    known = _known.get(spark) if _kinds.is_session(spark) else None
    if known is None:
        if is_client(spark):
            known = _knows_names(spark)
            _known[spark] = known
        elif _kinds.is_session(spark):
            from muntin import _jvm

            known = _jvm.is_active(spark)
            if known:
                _known[spark] = known
        else:
            raise invalid_type("is_active", "spark", spark, "a SparkSession")
    _seen = _seen or known
    return known


def require(function: str, spark: SparkSession | None = None) -> None:
    """Raise an error if Muntin is not active; it names the function that needs Muntin.

    A column does not have a session until a DataFrame uses it. So without ``spark``, an error means
    that no session of this process has Muntin. If one session has it, or if none exists yet, the
    column may be for that session, and Spark decides later.
    """
    if spark is None and _seen:
        return
    try:
        session = SparkSession.active() if spark is None else spark
        if is_active(session):
            return
        others = [] if spark is not None else _bootstrap.sessions()
    except Exception:  # no session, no response, or no list of sessions: Muntin may be active
        return
    if not any(_answers_yes(other) for other in others):
        raise not_active(function, session)


def _answers_yes(spark: SparkSession) -> bool:
    try:
        return is_active(spark)
    except Exception:  # a stopped session
        return False


def not_active(function: str, spark: SparkSession) -> MuntinError:
    """Return the error of a function that requires Muntin in ``spark``, with the remedy."""
    off = turned_off(spark)
    if off is not None:
        return off
    if not is_client(spark):
        return MuntinError("MUNTIN_NOT_ACTIVE", function=function)
    try:
        jar = _jar.find(spark.version).path  # the server's version
    except MuntinError as error:
        return error
    return MuntinError("MUNTIN_NOT_ACTIVE_ON_CONNECT_SERVER", function=function, jar=jar)


def turned_off(spark: SparkSession) -> MuntinError | None:
    """Return the error if the switch turns Muntin off in ``spark``, or None if it is on."""
    return _settings.turned_off(spark, None if is_client(spark) else _bootstrap.jvm_of(spark))


def is_client(spark: object) -> bool:
    """Return whether ``spark`` is a session, or a builder, of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def _knows_names(spark: SparkSession) -> bool:
    zero = _called("row_time", F.timestamp_seconds(F.lit(0)))
    try:
        _ = spark.range(0).select(zero).schema
    except AnalysisException:
        return False
    return True
