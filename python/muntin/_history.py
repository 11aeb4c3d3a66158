"""``bootstrap``: the checkpoint of a streaming query that begins with its history."""

from __future__ import annotations

import os

from pyspark.sql import DataFrame

from muntin import _calls, _kinds
from muntin._errors import invalid_type


def bootstrap(
    query: DataFrame, history: DataFrame, checkpoint: str | os.PathLike[str]
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
        The streaming DataFrame that the query will write. It reads one source.
    history : DataFrame
        A table with the columns of the query's source.
    checkpoint : str or path
        The ``checkpointLocation`` of the query, which does not exist or is empty.

    Returns
    -------
    DataFrame
        The results that the query would have written, in append mode. They are Parquet files in
        the folder ``bootstrap`` of the checkpoint, which the query does not need.

    Raises
    ------
    TypeError
        If ``query`` or ``history`` is not a DataFrame, or ``checkpoint`` is not a str or path.
    AnalysisException
        If ``query`` is not a stream with windows, or has several sources or stateful operators of
        Spark; if ``history`` is a stream or lacks a column of the source; or if the folder is not
        empty.

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
    for name, frame in (("query", query), ("history", history)):
        if not _kinds.is_frame(frame):
            raise invalid_type("bootstrap", name, frame, "a DataFrame")
    if not isinstance(checkpoint, (str, os.PathLike)):
        raise invalid_type("bootstrap", "checkpoint", checkpoint, "a str or a path")
    spark = query.sparkSession
    _calls.require("bootstrap", spark)
    made = spark.sql(
        "SELECT * FROM `muntin.bootstrap`(TABLE({query}), TABLE({history}), :checkpoint)",
        args={"checkpoint": os.fspath(checkpoint)},
        query=query,
        history=history,
    ).collect()
    return spark.read.parquet(made[0]["results"])
