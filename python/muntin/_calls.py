"""How Muntin's SQL functions are called, and what to say where a session does not have them."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from pyspark.errors import AnalysisException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from muntin import _bootstrap, _jar, _kinds, _settings
from muntin._errors import MuntinError

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
            raise TypeError(f"is_active() takes a SparkSession, not {spark!r}")
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
        others = [] if spark is not None else _bootstrap.sessions()
    except Exception:  # no session, none that answers, or no list of them: nothing is known
        return
    if not any(_answers_yes(other) for other in others):
        raise MuntinError(f"{function}: {why_not(session)}")


def _answers_yes(spark: SparkSession) -> bool:
    try:
        return is_active(spark)
    except Exception:  # a stopped one
        return False


def why_not(spark: SparkSession) -> str:
    """Say that ``spark`` does not have Muntin, and how it would."""
    off = why_off(spark)
    if off is not None:
        return off
    if is_client(spark):
        return f"Muntin is not active in this Spark Connect session. {server_command(spark)}"
    return (
        "Muntin is not active in this Spark session. Bring it into the session that runs:\n\n"
        "    mt.register(spark)\n\n"
        "or begin the session with it:\n\n"
        "    spark = mt.configure(SparkSession.builder).getOrCreate()\n\n"
        "or the program:\n\n"
        '    spark-submit --jars "$(python -m muntin jar)" job.py'
    )


def why_off(spark: SparkSession) -> str | None:
    """Return why the switch turns Muntin off in ``spark``, or None if the switch is on."""
    return _settings.why_off(spark, None if is_client(spark) else _bootstrap.jvm_of(spark))


def server_command(spark: SparkSession) -> str:
    """Say how the Connect server of a session begins with Muntin."""
    why = "A Spark Connect client cannot register Muntin, because it runs in the server."
    try:
        jar = _jar.find(spark.version).path  # the server's version
    except MuntinError as error:
        return f"{why} {error}"
    return (
        f"{why} Start the "
        f'server with it:\n\n    "$SPARK_HOME"/sbin/start-connect-server.sh --jars {jar}\n\n'
        "and a local one so: "
        'mt.configure(SparkSession.builder.remote("local[*]")).getOrCreate()'
    )


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
