"""``restore``: a checkpoint as of a micro-batch whose files are whole."""

from __future__ import annotations

import os

from pyspark.sql import DataFrame, SparkSession

from muntin import _calls, _checkpoints


def restore(
    spark: SparkSession,
    checkpoint: str | os.PathLike[str],
    to: str | os.PathLike[str],
    batch_id: int | None = None,
) -> DataFrame:
    """Copy the checkpoint of a stopped query as of its last micro-batch whose files are whole.

    If a file of a checkpoint is lost or damaged, the query fails, and its error names the files.
    ``restore`` reads the state of each micro-batch, the last first, until it can read all of it,
    and copies the checkpoint as of this micro-batch. With ``batch_id``, it goes back to this
    micro-batch. Start the query with the copy as its ``checkpointLocation``: it emits the results
    of all later micro-batches again, in micro-batches with new numbers. ``checkpoint`` does not
    change; if the copy fails, nothing is left of it. In SQL, write
    ``SELECT * FROM restore('checkpoint', 'to')``.

    Parameters
    ----------
    spark : SparkSession
        A session with Muntin.
    checkpoint : str or path
        The ``checkpointLocation`` of the query, which must be stopped.
    to : str or path
        The folder of the copy, which does not exist or is empty.
    batch_id : int, optional
        The number of a committed micro-batch. By default the last whole micro-batch.

    Returns
    -------
    DataFrame
        A row for each operator: ``batch_id``, the micro-batch of the copy; ``problem``, what is
        damaged in the next micro-batch, NULL if the last one is whole; the ``operator``'s number
        and its ``window``; the number of ``partitions``, ``groups`` and ``rows``; and the ``bytes``
        of its state.

    Raises
    ------
    TypeError
        If an argument is of another type.
    AnalysisException
        If ``checkpoint`` is not a checkpoint or is in use, if no micro-batch or not ``batch_id`` is
        whole, if its query has no windows or has stateful operators of Spark whose state cannot be
        copied, or if ``to`` is not empty.

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
    >>> restored = mt.restore(spark, checkpoint, copy)
    >>> restored.select("batch_id", "problem", "window", "groups").show()
    +--------+-------+------+------+
    |batch_id|problem|window|groups|
    +--------+-------+------+------+
    |       1|   NULL|  OVER|    10|
    +--------+-------+------+------+
    """
    _checkpoints.require_session("restore", spark)
    args = {
        "checkpoint": _checkpoints.path("restore", "checkpoint", checkpoint),
        "to": _checkpoints.path("restore", "to", to),
        "batch_id": batch_id,
    }
    if batch_id is not None:
        _checkpoints.require_number("restore", "batch_id", batch_id)
    _calls.require("restore", spark)
    copied = _calls.sql(spark, "SELECT * FROM `muntin.restore`(:checkpoint, :to, :batch_id)", args)
    # The checkpoint is copied once, here.
    return spark.createDataFrame(copied.collect(), copied.schema)
