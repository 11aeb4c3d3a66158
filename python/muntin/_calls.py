"""How Muntin's SQL functions are called, and what to say where a session does not have them."""

from __future__ import annotations

import gc
import sys
from weakref import WeakKeyDictionary

from pyspark.errors import AnalysisException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from muntin import _jar, _kinds, _settings
from muntin._errors import MuntinError, invalid_type

# A session that has Muntin keeps it; a classic one that has not may be registered.
_known: WeakKeyDictionary[SparkSession, bool] = WeakKeyDictionary()

# Whether some session of this process has it. From then on a column may be for that one.
_seen = False


def call(name: str, *arguments: Column) -> Column:
    """Call Muntin's SQL function of this name, or say that no session has it."""
    require(name)
    return _called(name, *arguments)


def _called(name: str, *arguments: Column) -> Column:
    # Whatever functions of the name the session has.
    return F.call_function(f"`muntin.{name}`", *arguments)


def is_active(spark: SparkSession) -> bool:
    """Tell whether a session has Muntin, classic or over Spark Connect.

    The first call asks Spark, without running a job; for a session that has it later calls do not.

    Parameters
    ----------
    spark : SparkSession
        A running session.

    Returns
    -------
    bool
        Whether Muntin's functions are known in ``spark``, and its window functions run with Muntin.
        The latter can be turned off: ``spark.muntin.over.enabled`` does not count here. False if
        ``spark.muntin.enabled=false`` or the environment variable ``MUNTIN_ENABLED=false`` turns
        the whole jar off.

    Raises
    ------
    TypeError
        If ``spark`` is no SparkSession.

    See Also
    --------
    configure : begins a session with Muntin.
    register : brings Muntin into a classic session that runs already.

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
    """Raise an error where Muntin is not active, in the name of the function that needs it.

    A column knows no session until a DataFrame takes it. So without ``spark`` an error says that no
    session of this process has Muntin: where one has it, or none is there yet, the column may be
    for that one, and Spark has the last word.
    """
    if spark is None and _seen:
        return
    try:
        session = SparkSession.active() if spark is None else spark
        if is_active(session):
            return
        others = [] if spark is not None else _sessions()
    except Exception:  # no session, or none that answers: nothing is known
        return
    if not any(_answers_yes(other) for other in others):
        raise not_active(function, session)


def _answers_yes(spark: SparkSession) -> bool:
    try:
        return is_active(spark)
    except Exception:  # a stopped one
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
    return _settings.turned_off(spark, None if is_client(spark) else spark._jvm)


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


def _sessions() -> list[SparkSession]:
    """Return all sessions of this process. Spark keeps no list of them."""
    connect = sys.modules.get("pyspark.sql.connect.session")
    kinds = (SparkSession,) if connect is None else (SparkSession, connect.SparkSession)
    return [found for found in gc.get_objects() if issubclass(type(found), kinds)]
