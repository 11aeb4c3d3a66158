package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** compare: whether a changed query can continue the windows of a checkpoint, as a table. */
object Compare extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "compare",
    Seq("query", "checkpoint").map(Definition.required),
    "_FUNC_(TABLE(query), checkpoint) - Returns a row for each window function of a changed " +
      "streaming query and of a checkpoint: whether the query continues the function. Nothing " +
      "changes. Use it in FROM.",
    """
    Arguments:
      * query - a table: a view of the changed streaming DataFrame
      * checkpoint - a string literal: the checkpointLocation of the query before the change
  """,
    "SELECT * FROM compare(TABLE(totals), '/checkpoints/totals')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
