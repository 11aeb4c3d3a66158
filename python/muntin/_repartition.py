"""``repartition``: the checkpoint of a streaming query with another number of partitions."""

from __future__ import annotations

import os

from pyspark.sql import DataFrame, SparkSession

from muntin import _calls, _checkpoints


def repartition(
    spark: SparkSession,
    checkpoint: str | os.PathLike[str],
    partitions: int,
    to: str | os.PathLike[str],
) -> DataFrame:
    """Copy the checkpoint of a stopped query, with its state in another number of partitions.

    A streaming query keeps the number of partitions of its first start,
    ``spark.sql.shuffle.partitions``. The copy has another number, and the query continues with the
    copy as its ``checkpointLocation``: its results do not change. ``checkpoint`` does not change;
    if the copy fails, nothing is left of it. In SQL, write
    ``SELECT * FROM repartition('checkpoint', 64, 'to')``.

    Parameters
    ----------
    spark : SparkSession
        A session with Muntin.
    checkpoint : str or path
        The ``checkpointLocation`` of the query, which must be stopped.
    partitions : int
        The new number of partitions.
    to : str or path
        The folder of the copy, which does not exist or is empty.

    Returns
    -------
    DataFrame
        A row for each operator: its number, ``operator``; its ``window``; the number of
        ``partitions``, ``groups`` and ``rows``; the ``bytes`` of its state; and the bytes of its
        ``largest`` partition, which show how evenly the groups are distributed.

    Raises
    ------
    TypeError
        If an argument is of another type.
    AnalysisException
        If ``checkpoint`` is not a checkpoint or is in use, if its query has no windows or has
        stateful operators of Spark whose state cannot be copied, if ``partitions`` is not
        positive, or if ``to`` is not empty.

    Examples
    --------
    >>> import muntin as mt
    >>> import tempfile
    >>> folder, checkpoint = tempfile.mkdtemp(), tempfile.mkdtemp()
    >>> rows = spark.sql("SELECT timestamp_seconds(id) AS at, id % 10 AS k FROM range(100)")
    >>> rows.coalesce(1).write.mode("append").parquet(folder)
    >>> stream = spark.readStream.schema(rows.schema).parquet(folder)
    >>> stream.withWatermark("at", "0 seconds").createOrReplaceTempView("ids")
    >>> last = "count(*) OVER (PARTITION BY k ORDER BY at ROWS 4 PRECEDING) AS n"
    >>> counts = spark.sql(f"SELECT *, {last} FROM ids")
    >>> writer = counts.writeStream.format("noop").option("checkpointLocation", checkpoint)
    >>> writer.trigger(availableNow=True).start().awaitTermination()
    >>> copy = tempfile.mkdtemp()
    >>> moved = mt.repartition(spark, checkpoint, 7, copy)
    >>> moved.select("operator", "window", "partitions", "groups").show()
    +--------+------+----------+------+
    |operator|window|partitions|groups|
    +--------+------+----------+------+
    |       0|  OVER|         7|    10|
    +--------+------+----------+------+
    """
    _checkpoints.require_session("repartition", spark)
    args = {
        "checkpoint": _checkpoints.path("repartition", "checkpoint", checkpoint),
        "to": _checkpoints.path("repartition", "to", to),
        "partitions": partitions,
    }
    _checkpoints.require_number("repartition", "partitions", partitions)
    _calls.require("repartition", spark)
    copied = _calls.sql(
        spark, "SELECT * FROM `muntin.repartition`(:checkpoint, :partitions, :to)", args
    )
    # The checkpoint is copied once, here.
    return spark.createDataFrame(copied.collect(), copied.schema)
