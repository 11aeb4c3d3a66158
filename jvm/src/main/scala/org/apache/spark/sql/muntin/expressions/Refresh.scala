package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** refresh: a table of results after rows of a source have changed. */
object Refresh extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "refresh",
    Seq("query", "target").map(Definition.required) ++ Seq(
      Definition.optional("changes", null),
      Definition.optional("source", null),
      Definition.optional("dry_run", false),
      Definition.optional("full", null)
    ),
    "_FUNC_(TABLE(query), target[, TABLE(changes)][, source][, dry_run][, full]) - Computes the " +
      "results of a query with windows again that changed rows of a source affect, replaces them " +
      "in a table and returns how many keys, stretches and results it has replaced. Use it in " +
      "FROM.",
    """
    Arguments:
      * query - a table: a view of the query whose results are in the target
      * target - a string literal: the name of a Delta or Iceberg table, or of a partitioned table
          of Parquet or ORC, with the columns of the query
      * changes - a table: the rows of the source that were inserted or deleted, and for each
          updated row its former and its new values; by default the changes of a Delta or Iceberg
          table, or the new files of Parquet or ORC, since the last refresh
      * source - a string literal: the name of the changed table, if the query reads several
      * dry_run - whether the table stays unchanged; false by default
      * full - whether all results are computed; by default an estimate decides
  """,
    "SELECT * FROM refresh(TABLE(features), 'features_table')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
