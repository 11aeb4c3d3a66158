package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** compare: whether a changed query can continue the windows of a checkpoint, as a table. */
object Compare extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "compare",
    Seq("query", "checkpoint").map(Definition.required) :+
      Definition.optional("output_mode", null) :+ Definition.optional("renamed", null),
    "_FUNC_(TABLE(query), checkpoint[, output_mode][, renamed]) - Returns a row for each window " +
      "function of a changed streaming query and of a checkpoint: whether the query continues " +
      "the function. Nothing changes. Use it in FROM.",
    """
    Arguments:
      * query - a table: a view of the changed streaming DataFrame
      * checkpoint - a string literal: the checkpointLocation of the query before the change
      * output_mode - 'append' or 'update': the output mode of the changed query. The default is
          the output mode in the checkpoint
      * renamed - a map: the names of columns before the change, with their names in the query
  """,
    "SELECT * FROM compare(TABLE(totals), '/checkpoints/totals')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
