package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** bootstrap: a new checkpoint with the state that a query would have after a table's rows. */
object Bootstrap extends TableOnlyFunction {

  /** The parameters for the second and further sources. */
  val Histories: Seq[String] = (2 to 6).map(i => s"history_$i")

  override val definition: Definition = Definition(
    "bootstrap",
    Seq("query", "history", "checkpoint").map(Definition.required) ++
      (Histories :+ "after").map(Definition.optional(_, null)),
    "_FUNC_(TABLE(query), TABLE(history), checkpoint[, TABLE(history_2), ...][, after]) - Makes " +
      "a checkpoint with the state that a streaming query with windows would have after the rows " +
      "of history, writes the final results as Parquet, and returns their folder, their number " +
      "and the watermark. Use it in FROM.",
    """
    Arguments:
      * query - a table: a view of the streaming DataFrame that will be started
      * history - a table with the columns of the query's source, or of its first source
      * checkpoint - a string literal: the checkpointLocation of the query, which must not exist or
          must be empty
      * history_2, ..., history_6 - tables with the columns of the further sources, optional: the
          sources are in the order in which the query reads them
      * after - a string literal: a checkpoint of a stopped query over the same sources. The new
          checkpoint continues with its offsets, and the history must be the rows that it has read
  """,
    "SELECT * FROM bootstrap(TABLE(totals), TABLE(past), '/checkpoints/totals')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
