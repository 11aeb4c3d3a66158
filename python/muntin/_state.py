"""``state``: the groups in the state of a streaming query's checkpoint."""

from __future__ import annotations

import os

from pyspark.sql import DataFrame, SparkSession

from muntin import _calls, _checkpoints


def state(
    spark: SparkSession, checkpoint: str | os.PathLike[str], batch_id: int | None = None
) -> DataFrame:
    """Return the groups in the state of a streaming query with windows.

    The result is a batch table with a row for each group of each operator: it shows which keys
    take the most rows and bytes, and which keys have been silent for long. Each evaluation of the
    table reads the checkpoint's last committed micro-batch, or ``batch_id``, and does not change
    it. The query may be running or stopped. In SQL, write ``SELECT * FROM state('checkpoint')``.

    Parameters
    ----------
    spark : SparkSession
        A session with Muntin.
    checkpoint : str or path
        The ``checkpointLocation`` of the query.
    batch_id : int, optional
        The number of a committed micro-batch: the state after it. By default the last one.

    Returns
    -------
    DataFrame
        For each group: the ``operator``, numbered as in Spark's UI, and its ``window``; the
        ``partition`` of the state; ``key``, a MAP from the names of the keys to their values as
        text; ``rows``, the number of stored rows; ``bytes``, the size of its heads and pages;
        ``oldest_time`` and ``newest_time``, the row times of the oldest stored row and of the
        newest row so far; and ``next_timer``, the row time at which the group is due. Times are
        text. NULL is the oldest time of a group without stored rows, and the timer of a group
        without a timer.

    Raises
    ------
    TypeError
        If an argument is of another type.
    AnalysisException
        When the table is evaluated: if ``checkpoint`` is not a checkpoint, has no committed
        micro-batch or does not have ``batch_id``, or if its query has no windows.

    Examples
    --------
    >>> import muntin as mt
    >>> import tempfile
    >>> folder, checkpoint = tempfile.mkdtemp(), tempfile.mkdtemp()
    >>> rows = spark.sql("SELECT timestamp_seconds(id) AS at, 'u' || id % 2 AS k FROM range(9)")
    >>> rows.coalesce(1).write.mode("append").parquet(folder)
    >>> stream = spark.readStream.schema(rows.schema).parquet(folder)
    >>> stream.withWatermark("at", "0 seconds").createOrReplaceTempView("ids")
    >>> last = "count(*) OVER (PARTITION BY k ORDER BY at ROWS 2 PRECEDING) AS n"
    >>> counts = spark.sql(f"SELECT *, {last} FROM ids")
    >>> writer = counts.writeStream.format("noop").option("checkpointLocation", checkpoint)
    >>> writer.trigger(availableNow=True).start().awaitTermination()
    >>> groups = mt.state(spark, checkpoint).orderBy("key.k")
    >>> groups.select("window", "key", "rows", "oldest_time", "newest_time").show()
    +------+---------+----+-------------------+-------------------+
    |window|      key|rows|        oldest_time|        newest_time|
    +------+---------+----+-------------------+-------------------+
    |  OVER|{k -> u0}|   3|1970-01-01 00:00:04|1970-01-01 00:00:08|
    |  OVER|{k -> u1}|   2|1970-01-01 00:00:05|1970-01-01 00:00:07|
    +------+---------+----+-------------------+-------------------+
    """
    _checkpoints.require_session("state", spark)
    place = _checkpoints.path("state", "checkpoint", checkpoint)
    if batch_id is not None:
        _checkpoints.require_number("state", "batch_id", batch_id)
    _calls.require("state", spark)
    return _calls.sql(
        spark,
        "SELECT * FROM `muntin.state`(:checkpoint, :batch_id)",
        {"checkpoint": place, "batch_id": batch_id},
    )
