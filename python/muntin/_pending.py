"""``pending``: what is still open in the checkpoint of a streaming query."""

from __future__ import annotations

import os

from pyspark.sql import DataFrame

from muntin import _calls, _kinds
from muntin._errors import invalid_type


def pending(query: DataFrame, checkpoint: str | os.PathLike[str]) -> DataFrame:
    """Say what is still open in the checkpoint of a streaming query with windows.

    The windows and rows that wait for later rows, each with what it would say if the stream ended
    now: as a table of a batch, with the columns that the query writes. The checkpoint's last
    committed micro-batch is read when the table is, and stays as it is: while the query runs, and
    after it has stopped. In SQL it is ``SELECT * FROM pending(TABLE(view), 'checkpoint')``.

    Parameters
    ----------
    query : DataFrame
        The streaming DataFrame that is written: ``query.writeStream`` has started the query. Of
        windows of windows also the one below, with the columns that the query reads of it.
    checkpoint : str or path
        The ``checkpointLocation`` of the query.

    Returns
    -------
    DataFrame
        The rows that the query would write further, if it were drained. It is empty before a
        micro-batch has been committed.

    Raises
    ------
    TypeError
        If ``query`` is no DataFrame, or ``checkpoint`` no str and no path.
    AnalysisException
        If there is no such checkpoint, ``query`` is no stream, or has no windows that wait. When
        the rows are asked for: if the checkpoint is another query's, or an operator with state of
        Spark's has a part in what comes out.

    Examples
    --------
    >>> import muntin as mt
    >>> import tempfile
    >>> from pyspark.sql import functions as F
    >>> folder, checkpoint = tempfile.mkdtemp(), tempfile.mkdtemp()
    >>> rows = spark.sql("SELECT timestamp_seconds(id * 20) AS at, id AS x FROM range(1, 5)")
    >>> rows.coalesce(1).write.mode("append").parquet(folder)
    >>> stream = spark.readStream.schema(rows.schema).parquet(folder)
    >>> window = mt.field_window("at", 60, 60).alias("w")
    >>> minutes = stream.withWatermark("at", "0 seconds").groupBy(window).agg(F.sum("x"))
    >>> writer = minutes.writeStream.format("noop").option("checkpointLocation", checkpoint)
    >>> writer.trigger(availableNow=True).start().awaitTermination()
    >>> mt.pending(minutes.select("w.open", "sum(x)"), checkpoint).show()
    +-------------------+------+
    |               open|sum(x)|
    +-------------------+------+
    |1970-01-01 00:01:00|     7|
    +-------------------+------+
    """
    if not _kinds.is_frame(query):
        raise invalid_type("pending", "query", query, "a streaming DataFrame")
    if not isinstance(checkpoint, (str, os.PathLike)):
        raise invalid_type("pending", "checkpoint", checkpoint, "a str or a path")
    spark = query.sparkSession
    _calls.require("pending", spark)
    return spark.sql(
        "SELECT * FROM `muntin.pending`(TABLE({query}), :checkpoint)",
        args={"checkpoint": os.fspath(checkpoint)},
        query=query,
    )
