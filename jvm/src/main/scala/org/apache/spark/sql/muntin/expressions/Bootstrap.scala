package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** bootstrap: a new checkpoint with the state that a query would have after a table's rows. */
object Bootstrap extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "bootstrap",
    Seq("query", "history", "checkpoint").map(Definition.required),
    "_FUNC_(TABLE(query), TABLE(history), checkpoint) - Makes a checkpoint with the state that a " +
      "streaming query with windows would have after the rows of history, writes the final " +
      "results as Parquet, and returns their folder, their number and the watermark. Use it in " +
      "FROM.",
    """
    Arguments:
      * query - a table: a view of the streaming DataFrame that will be started
      * history - a table with the columns of the query's source
      * checkpoint - a string literal: the checkpointLocation of the query, which must not exist or
          must be empty
  """,
    "SELECT * FROM bootstrap(TABLE(totals), TABLE(past), '/checkpoints/totals')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
