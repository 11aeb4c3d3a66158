"""``refresh`` and ``affected``: a table of results after rows of its source have changed."""

from __future__ import annotations

from pyspark.sql import DataFrame

from muntin import _calls, _kinds
from muntin._errors import invalid_type


def refresh(
    query: DataFrame,
    target: str,
    changes: DataFrame | None = None,
    source: str | None = None,
    dry_run: bool = False,
    full: bool | None = None,
) -> DataFrame:
    """Compute the results of a query that changed rows affect, and replace them in a table.

    Afterwards ``target`` has the results of ``query`` over the changed source, to the last bit. A
    result is affected if its window contained a changed row before or after the change. A second
    refresh with the same changes replaces equal results. In SQL, write
    ``SELECT * FROM refresh(TABLE(query), 'target', TABLE(changes))``.

    Without ``changes``, Muntin reads the changes of the source since the last refresh, whose
    position it stores with the table: the change data feed of a Delta table, the changelog of an
    Iceberg table, or new files of Parquet and ORC. Without a stored position it computes all
    results.

    Parameters
    ----------
    query : DataFrame
        The query whose results are in the table. Its windows have common PARTITION BY or GROUP BY
        columns, which are columns of the result.
    target : str
        The name of a Delta or Iceberg table, or of a partitioned table of Parquet or ORC, with the
        columns of the query.
    changes : DataFrame, optional
        The rows of the source that were inserted or deleted, and for each updated row its former
        and its new values; with all columns of the source. The source itself has changed already.
        By default, the changes since the last refresh.
    source : str, optional
        The name of the changed table or view, if the query reads several.
    dry_run : bool, default False
        Whether the table stays unchanged.
    full : bool, optional
        Whether all results are computed. By default they are if the table has no stored position,
        or if they cost less than the affected results by an estimate, as for a small table.

    Returns
    -------
    DataFrame
        One row: the number of affected ``keys``; of their ``stretches`` of time; of rows that are
        ``read``; of results that are ``deleted`` and ``inserted``; whether all results were
        computed (``full``; then the first three are null); and the ``reason``, if more results are
        computed than changed rows reach.

    Raises
    ------
    TypeError
        If an argument is of another type.
    AnalysisException
        If a change may affect all results, as without PARTITION BY; if the query is a stream, not
        deterministic, or reads ``target``; if ``source`` is not one table of the query; if columns
        differ; if ``target`` has another format, or another program or query has changed it; or if
        the changes of the source are unknown.

    Examples
    --------
    >>> import muntin as mt
    >>> import tempfile
    >>> def day(n, x):
    ...     return f"SELECT 'a' AS k, DATE'2026-01-0{n}' AS day, {x}.0D AS x"
    >>> source = tempfile.mkdtemp()
    >>> first = spark.sql(f"{day(1, 1)} UNION ALL {day(2, 2)} UNION ALL {day(3, 4)}")
    >>> first.write.mode("overwrite").parquet(source)
    >>> def sums():
    ...     spark.read.parquet(source).createOrReplaceTempView("sales")
    ...     return spark.sql('''
    ...         SELECT k, x, sum(x) OVER (PARTITION BY k ORDER BY day RANGE 1 PRECEDING) AS two,
    ...             day
    ...         FROM sales
    ...     ''')
    >>> _ = spark.sql("DROP TABLE IF EXISTS two_days")
    >>> sums().write.partitionBy("day").saveAsTable("two_days")
    >>> late = spark.sql(day(4, 8))
    >>> late.write.mode("append").parquet(source)
    >>> mt.refresh(sums(), "two_days", late, full=False).show()
    +----+---------+----+-------+--------+-----+------+
    |keys|stretches|read|deleted|inserted| full|reason|
    +----+---------+----+-------+--------+-----+------+
    |   1|        1|   2|      0|       1|false|  NULL|
    +----+---------+----+-------+--------+-----+------+
    >>> spark.table("two_days").orderBy("day").show()
    +---+---+----+----------+
    |  k|  x| two|       day|
    +---+---+----+----------+
    |  a|1.0| 1.0|2026-01-01|
    |  a|2.0| 3.0|2026-01-02|
    |  a|4.0| 6.0|2026-01-03|
    |  a|8.0|12.0|2026-01-04|
    +---+---+----+----------+
    >>> _ = spark.sql("DROP TABLE two_days")
    """
    if not isinstance(dry_run, bool):
        raise invalid_type("refresh", "dry_run", dry_run, "a bool")
    if full is not None and not isinstance(full, bool):
        raise invalid_type("refresh", "full", full, "a bool")
    done = _call("refresh", query, target, changes, source, dry_run=dry_run, full=full)
    # The table function runs once, here, and no job runs when the result is read.
    row = done.collect()[0].asDict()
    columns = (f"CAST(:{f.name} AS {f.dataType.simpleString()}) AS {f.name}" for f in done.schema)
    return _calls.sql(query.sparkSession, f"SELECT {', '.join(columns)}", row)


def affected(
    query: DataFrame,
    target: str,
    changes: DataFrame | None = None,
    source: str | None = None,
) -> DataFrame:
    """Return the keys and times of the results that :func:`refresh` would replace.

    The table stays unchanged. The list is without the estimate by which a refresh may compute all
    results. In SQL, write ``SELECT * FROM affected(TABLE(query), 'target', TABLE(changes))``.

    Parameters
    ----------
    query : DataFrame
        The query whose results are in the table.
    target : str
        The name of the table.
    changes : DataFrame, optional
        The changed rows of the source, as for :func:`refresh`. By default, the changes since the
        last refresh.
    source : str, optional
        The name of the changed table or view, if the query reads several.

    Returns
    -------
    DataFrame
        One row for each stretch of time of each key, with the columns ``keys``, the names and
        values of the keys; and ``first`` and ``last``, the first and the last affected time; all
        as text. If all results up to a time, or from a time on, are affected, ``first`` or
        ``last`` is null. Distances are rounded up, so a stretch may be two days longer than
        necessary.

    Raises
    ------
    TypeError
        If an argument is of another type.
    AnalysisException
        As :func:`refresh`; also if ``target`` has no stored position and ``changes`` is not given.

    Examples
    --------
    >>> import muntin as mt
    >>> rows = spark.sql("SELECT id % 2 AS k, id AS n, id DIV 10 AS d FROM range(40)")
    >>> rows.createOrReplaceTempView("numbers")
    >>> query = spark.sql('''
    ...     SELECT k, n, sum(n) OVER (PARTITION BY k ORDER BY n RANGE 3 PRECEDING) AS s, d
    ...     FROM numbers
    ... ''')
    >>> _ = spark.sql("DROP TABLE IF EXISTS number_sums")
    >>> query.write.partitionBy("d").saveAsTable("number_sums")
    >>> changes = rows.where("n IN (4, 6, 9, 30)")
    >>> mt.affected(query, "number_sums", changes).orderBy("first").show()
    +--------+-----+----+
    |    keys|first|last|
    +--------+-----+----+
    |{k -> 0}|   30|  33|
    |{k -> 0}|    4|   9|
    |{k -> 1}|    9|  12|
    +--------+-----+----+
    >>> _ = spark.sql("DROP TABLE number_sums")
    """
    return _call("affected", query, target, changes, source)


def _call(
    function: str,
    query: DataFrame,
    target: str,
    changes: DataFrame | None,
    source: str | None,
    **others: bool | None,
) -> DataFrame:
    if not _kinds.is_frame(query):
        raise invalid_type(function, "query", query, "a DataFrame")
    if changes is not None and not _kinds.is_frame(changes):
        raise invalid_type(function, "changes", changes, "a DataFrame")
    if not isinstance(target, str):
        raise invalid_type(function, "target", target, "a str")
    if source is not None and not isinstance(source, str):
        raise invalid_type(function, "source", source, "a str")
    spark = query.sparkSession
    _calls.require(function, spark)
    rows = "NULL" if changes is None else "TABLE({changes})"
    arguments = "".join(f", :{name}" for name in others)
    return _calls.sql(
        spark,
        f"SELECT * FROM `muntin.{function}`(TABLE({{query}}), :target, {rows}, :source{arguments})",
        {"target": target, "source": source, **others},
        query=query,
        **({} if changes is None else {"changes": changes}),
    )
