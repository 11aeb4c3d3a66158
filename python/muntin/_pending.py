"""``pending``: the open results in the checkpoint of a streaming query."""

from __future__ import annotations

import os

from pyspark.sql import DataFrame

from muntin import _calls, _checkpoints, _kinds
from muntin._errors import invalid_type


def pending(
    query: DataFrame, checkpoint: str | os.PathLike[str], batch_id: int | None = None
) -> DataFrame:
    """Return the results that are still open in the checkpoint of a streaming query.

    The result is a batch table with the columns that the query writes: open windows and buffered
    rows, as if the stream ended now. Each evaluation of the table reads the checkpoint's last
    committed micro-batch, or ``batch_id``, and does not change it. The query may be running or
    stopped. In SQL, write ``SELECT * FROM pending(TABLE(view), 'checkpoint')``.

    Parameters
    ----------
    query : DataFrame
        The streaming DataFrame that the query writes: ``query.writeStream`` started it. In a chain
        of windows also the DataFrame of upstream windows, with the columns that the query reads.
    checkpoint : str or path
        The ``checkpointLocation`` of the query.

    batch_id : int, optional
        The number of a committed micro-batch: the results that were open after it, as if the stream
        had ended there. By default the last one.

    Returns
    -------
    DataFrame
        The rows that the query would still write if it were drained. It is empty before the first
        committed micro-batch.

    Raises
    ------
    TypeError
        If ``query`` is not a DataFrame, ``checkpoint`` is not a str or path, or ``batch_id`` is
        not an int.
    AnalysisException
        If the checkpoint does not exist, or ``query`` is not a stream or lacks windows that buffer
        rows. When the table is evaluated: if the checkpoint belongs to another query or does not
        have the micro-batch, or if a stateful operator of Spark contributes to the output.

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
    place = _checkpoints.path("pending", "checkpoint", checkpoint)
    if batch_id is not None:
        _checkpoints.require_number("pending", "batch_id", batch_id)
    spark = query.sparkSession
    _calls.require("pending", spark)
    return _calls.sql(
        spark,
        "SELECT * FROM `muntin.pending`(TABLE({query}), :checkpoint, :batch_id)",
        {"checkpoint": place, "batch_id": batch_id},
        query=query,
    )
