"""``compare`` and ``change``: a changed streaming query that continues a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pyspark.sql import DataFrame

from muntin import _calls, _checkpoints, _kinds
from muntin._errors import invalid_type, invalid_value
from muntin.typing import OutputMode


def compare(
    query: DataFrame,
    checkpoint: str | os.PathLike[str],
    output_mode: OutputMode | None = None,
    renamed: Mapping[str, str] | None = None,
) -> DataFrame:
    """Compare a changed streaming query with the checkpoint of the query before the change.

    Nothing changes: ``change`` makes a checkpoint for the changed query. In SQL, write
    ``SELECT * FROM compare(TABLE(view), 'checkpoint')``.

    Parameters
    ----------
    query : DataFrame
        The changed streaming DataFrame.
    checkpoint : str or path
        The ``checkpointLocation`` of the query before the change.
    output_mode : {'append', 'update'}, optional
        The output mode of the changed query. The default is the output mode in the checkpoint.
    renamed : dict, optional
        The names of columns before the change, with their names in the changed query.

    Returns
    -------
    DataFrame
        A row for each window function of the query and of the checkpoint: the number of its
        ``operator`` in the query, or null; its ``window``; the ``function``, or null for a window
        without functions; the ``action``; and the ``reason``. The action is ``continues`` if the
        results are the results of one query over all rows; ``restarts`` if they lack rows from
        before the change; ``is dropped`` if the query does not have the function; and
        ``needs history`` if the checkpoint does not suffice. A column that the query adds has a
        row, too, if rows in the checkpoint lack it.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If ``output_mode`` is another word.
    AnalysisException
        If ``query`` is not a stream with windows, if ``checkpoint`` is not a checkpoint, if their
        stateful operators of Spark or their numbers of sources differ, or if the query lacks
        a renamed column.

    See Also
    --------
    change : Copies the checkpoint for the changed query.

    Examples
    --------
    >>> import muntin as mt
    >>> import tempfile
    >>> folder, checkpoint = tempfile.mkdtemp(), tempfile.mkdtemp()
    >>> rows = spark.sql("SELECT timestamp_seconds(id) AS at, id AS x FROM range(6)")
    >>> rows.coalesce(1).write.mode("append").parquet(folder)
    >>> stream = spark.readStream.schema(rows.schema).parquet(folder)
    >>> stream.withWatermark("at", "0 seconds").createOrReplaceTempView("xs")
    >>> total = spark.sql("SELECT x, sum(x) OVER (ORDER BY at ROWS 3 PRECEDING) AS s FROM xs")
    >>> writer = total.writeStream.format("noop").option("checkpointLocation", checkpoint)
    >>> writer.trigger(availableNow=True).start().awaitTermination()
    >>> both = spark.sql('''
    ...     SELECT x, max(x) OVER (ORDER BY at ROWS 2 PRECEDING) AS m,
    ...         sum(x) OVER (ORDER BY at ROWS 3 PRECEDING) AS s
    ...     FROM xs
    ... ''')
    >>> mt.compare(both, checkpoint).select("operator", "action").show()
    +--------+---------+
    |operator|   action|
    +--------+---------+
    |       0|continues|
    |       0|continues|
    +--------+---------+

    The column ``x`` has another name:

    >>> named = spark.sql('''
    ...     SELECT level, sum(level) OVER (ORDER BY at ROWS 3 PRECEDING) AS s
    ...     FROM (SELECT at, x AS level FROM xs)
    ... ''')
    >>> compared = mt.compare(named, checkpoint, renamed={"x": "level"})
    >>> compared.select("operator", "action").show()
    +--------+---------+
    |operator|   action|
    +--------+---------+
    |       0|continues|
    +--------+---------+
    """
    _check("compare", query, output_mode)
    place = _checkpoints.path("compare", "checkpoint", checkpoint)
    names = _names("compare", renamed)
    return _changes(
        query,
        f"SELECT * FROM `muntin.compare`(TABLE({{query}}), :checkpoint, :mode, {_map(names)})",
        {"checkpoint": place, "mode": output_mode, **names},
    )


def change(
    query: DataFrame,
    checkpoint: str | os.PathLike[str],
    to: str | os.PathLike[str],
    incomplete: bool = False,
    output_mode: OutputMode | None = None,
    renamed: Mapping[str, str] | None = None,
) -> DataFrame:
    """Copy the checkpoint of a stopped query for a changed query, which continues with the copy.

    Functions may be added and removed, change places and get narrower frames; columns and windows
    may be added and removed. ``checkpoint`` does not change; if the copy fails, nothing is left of
    it. In SQL, write ``SELECT * FROM change(TABLE(view), 'checkpoint', 'to')``.

    Parameters
    ----------
    query : DataFrame
        The changed streaming DataFrame.
    checkpoint : str or path
        The ``checkpointLocation`` of the query before the change, which must be stopped.
    to : str or path
        The folder of the copy, which does not exist or is empty: the ``checkpointLocation`` of the
        changed query.
    incomplete : bool, default False
        Whether windows may restart, or be dropped with the rows that wait.
    output_mode : {'append', 'update'}, optional
        The output mode of the changed query. The default is the output mode in the checkpoint.
    renamed : dict, optional
        The names of columns before the change, with their names in the changed query.

    Returns
    -------
    DataFrame
        The rows of ``compare``.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If ``output_mode`` is another word.
    AnalysisException
        If ``compare`` fails, if a function needs history, if a window restarts or is dropped
        without ``incomplete``, if the checkpoint is in use, or if ``to`` is not empty.

    See Also
    --------
    compare : Shows what would happen, without a copy.
    bootstrap : Makes a checkpoint from the history, if the old checkpoint does not suffice.

    Examples
    --------
    >>> import muntin as mt
    >>> import tempfile
    >>> folder, checkpoint = tempfile.mkdtemp(), tempfile.mkdtemp()
    >>> rows = spark.sql("SELECT timestamp_seconds(id) AS at, id AS x FROM range(6)")
    >>> rows.coalesce(1).write.mode("append").parquet(folder)
    >>> stream = spark.readStream.schema(rows.schema).parquet(folder)
    >>> stream.withWatermark("at", "0 seconds").createOrReplaceTempView("xs")
    >>> total = spark.sql("SELECT x, sum(x) OVER (ORDER BY at ROWS 3 PRECEDING) AS s FROM xs")
    >>> writer = total.writeStream.format("noop").option("checkpointLocation", checkpoint)
    >>> writer.trigger(availableNow=True).start().awaitTermination()
    >>> least = "min(x) OVER (ORDER BY at ROWS 3 PRECEDING) AS least"
    >>> changed = spark.sql(f"SELECT x, {least} FROM xs")
    >>> copy = tempfile.mkdtemp()
    >>> mt.change(changed, checkpoint, copy).select("operator", "action").show()
    +--------+----------+
    |operator|    action|
    +--------+----------+
    |       0| continues|
    |    NULL|is dropped|
    +--------+----------+
    >>> later = spark.sql("SELECT timestamp_seconds(id) AS at, id AS x FROM range(6, 9)")
    >>> later.coalesce(1).write.mode("append").parquet(folder)
    >>> results = tempfile.mkdtemp()
    >>> def append(rows, batch):
    ...     rows.write.mode("append").parquet(results)
    >>> out = changed.writeStream.foreachBatch(append).option("checkpointLocation", copy)
    >>> out.trigger(availableNow=True).start().awaitTermination()
    >>> spark.read.parquet(results).orderBy("x").show()
    +---+-----+
    |  x|least|
    +---+-----+
    |  5|    2|
    |  6|    3|
    |  7|    4|
    +---+-----+
    """
    _check("change", query, output_mode)
    place = _checkpoints.path("change", "checkpoint", checkpoint)
    copy = _checkpoints.path("change", "to", to)
    if not isinstance(incomplete, bool):
        raise invalid_type("change", "incomplete", incomplete, "a bool")
    names = _names("change", renamed)
    return _changes(
        query,
        "SELECT * FROM `muntin.change`"
        f"(TABLE({{query}}), :checkpoint, :to, :incomplete, :mode, {_map(names)})",
        {"checkpoint": place, "to": copy, "incomplete": incomplete, "mode": output_mode, **names},
    )


def _check(function: str, query: DataFrame, output_mode: object) -> None:
    if not _kinds.is_frame(query):
        raise invalid_type(function, "query", query, "a DataFrame")
    if output_mode not in (None, "append", "update"):
        raise invalid_value(function, "output_mode", output_mode, "'append' or 'update'")
    _calls.require(function, query.sparkSession)


def _names(function: str, renamed: Mapping[str, str] | None) -> dict[str, str]:
    """Return the names before and after the change, as parameters of a statement."""
    pairs = renamed if renamed is not None else {}
    if not isinstance(pairs, Mapping) or not all(
        isinstance(name, str) for pair in pairs.items() for name in pair
    ):
        raise invalid_type(function, "renamed", renamed, "a dict of names")
    names = [name for pair in pairs.items() for name in pair]
    return {f"name{i}": name for i, name in enumerate(names)}


def _map(names: dict[str, str]) -> str:
    """Return the SQL of a map of these parameters."""
    return f"map({', '.join(f':{name}' for name in names)})" if names else "NULL"


def _changes(query: DataFrame, sql: str, arguments: dict[str, object]) -> DataFrame:
    spark = query.sparkSession
    changes = _calls.sql(spark, sql, arguments, query=query)
    # The table function runs once, here.
    return spark.createDataFrame(changes.collect(), changes.schema)
