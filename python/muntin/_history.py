"""``bootstrap``: the checkpoint of a streaming query that begins with its history."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pyspark.sql import DataFrame

from muntin import _calls, _checkpoints, _kinds
from muntin._errors import invalid_type


def bootstrap(
    query: DataFrame,
    history: DataFrame | Sequence[DataFrame],
    checkpoint: str | os.PathLike[str],
    after: str | os.PathLike[str] | None = None,
) -> DataFrame:
    """Make the checkpoint of a streaming query that begins with the rows of a table.

    The checkpoint has the state that the query would have if all rows of ``history`` had gone
    through it. The state is computed as a batch, and the results that are final are returned. Then
    start the query in output mode append, with this ``checkpointLocation`` and a source that begins
    after the history, such as Kafka's ``startingOffsets``. Both together return the results of one
    stream over all rows, bit for bit. In SQL, write
    ``SELECT * FROM bootstrap(TABLE(view), TABLE(past), 'checkpoint')``, which writes the results as
    Parquet and returns their folder.

    Parameters
    ----------
    query : DataFrame
        The streaming DataFrame that the query will write.
    history : DataFrame or sequence of DataFrames
        A table with the columns of the query's source. If the query reads several sources, a table
        for each, in the order in which the query reads them: the table of the first source in FROM
        is the first.
    checkpoint : str or path
        The ``checkpointLocation`` of the query, which does not exist or is empty.
    after : str or path, optional
        The ``checkpointLocation`` of a stopped query over the same sources, which is only read. The
        new checkpoint then has its offsets, its watermark and its number of micro-batches, so the
        new query continues where the other has stopped. ``history`` must have the rows that the
        stopped query has read.

    Returns
    -------
    DataFrame
        The results that the query would have written, in append mode. They are Parquet files in
        the folder ``bootstrap`` of the checkpoint, which the query does not need.

    Raises
    ------
    TypeError
        If ``query`` or a ``history`` is not a DataFrame, or ``checkpoint`` or ``after`` is not a
        str or path.
    AnalysisException
        If ``query`` is not a stream with windows, or has stateful operators of Spark or another
        number of sources; if a ``history`` is a stream or lacks a column of its source; if the
        folder is not empty; or if ``after`` is not a checkpoint, is in use, or has another number
        of sources.

    Examples
    --------
    >>> import muntin as mt
    >>> import tempfile
    >>> new, checkpoint = tempfile.mkdtemp(), tempfile.mkdtemp() + "/totals"
    >>> rows = "timestamp_seconds(id) AS at, id AS x"
    >>> yesterday = spark.sql(f"SELECT {rows} FROM range(5)")
    >>> spark.sql(f"SELECT {rows} FROM range(5, 8)").write.mode("append").parquet(new)
    >>> today = spark.readStream.schema(yesterday.schema).parquet(new)
    >>> today.withWatermark("at", "0 seconds").createOrReplaceTempView("today")
    >>> last_4 = "sum(x) OVER (ORDER BY at ROWS 3 PRECEDING) AS last_4"
    >>> sums = spark.sql(f"SELECT x, {last_4} FROM today")
    >>> mt.bootstrap(sums, yesterday, checkpoint).orderBy("x").show()
    +---+------+
    |  x|last_4|
    +---+------+
    |  0|     0|
    |  1|     1|
    |  2|     3|
    |  3|     6|
    +---+------+
    >>> later = tempfile.mkdtemp()
    >>> def append(rows, batch):
    ...     rows.write.mode("append").parquet(later)
    >>> out = sums.writeStream.foreachBatch(append)
    >>> out = out.option("checkpointLocation", checkpoint).trigger(availableNow=True)
    >>> out.start().awaitTermination()
    >>> spark.read.parquet(later).orderBy("x").show()
    +---+------+
    |  x|last_4|
    +---+------+
    |  4|    10|
    |  5|    14|
    |  6|    18|
    +---+------+
    """
    if not _kinds.is_frame(query):
        raise invalid_type("bootstrap", "query", query, "a DataFrame")
    histories = list(history) if isinstance(history, (list, tuple)) else [history]
    for frame in histories:
        if not _kinds.is_frame(frame):
            raise invalid_type("bootstrap", "history", frame, "a DataFrame or a list of DataFrames")
    paths = {
        "checkpoint": _checkpoints.path("bootstrap", "checkpoint", checkpoint),
        "after": None if after is None else _checkpoints.path("bootstrap", "after", after),
    }
    spark = query.sparkSession
    _calls.require("bootstrap", spark)
    further = {f"history_{i + 2}": frame for i, frame in enumerate(histories[1:])}
    tables = ["TABLE({query})", "TABLE({history})", ":checkpoint"]
    tables += [f"TABLE({{{name}}})" for name in further]
    tables.append("after => :after")
    made = _calls.sql(
        spark,
        f"SELECT * FROM `muntin.bootstrap`({', '.join(tables)})",
        paths,
        query=query,
        history=histories[0],
        **further,
    ).collect()
    return spark.read.parquet(made[0]["results"])
