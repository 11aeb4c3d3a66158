package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** affected: which results a refresh would replace. */
object Affected extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "affected",
    Seq("query", "target").map(Definition.required) ++
      Seq("changes", "source").map(Definition.optional(_, null)),
    "_FUNC_(TABLE(query), target[, TABLE(changes)][, source]) - Returns the keys and times of " +
      "the results that refresh would replace, without the estimate that may replace all. Use " +
      "it in FROM.",
    """
    Arguments:
      * query - a table: a view of the query whose results are in the target
      * target - a string literal: the name of the table of results
      * changes - a table: the changed rows of the source; by default the changes since the last
          refresh
      * source - a string literal: the name of the changed table, if the query reads several
  """,
    "SELECT * FROM affected(TABLE(features), 'features_table')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
