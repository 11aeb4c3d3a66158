package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** pending: the open results in the checkpoint of a query, as a table. */
object Pending extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "pending",
    Seq(
      Definition.required("query"),
      Definition.required("checkpoint"),
      Definition.optional("batch_id", null)
    ),
    "_FUNC_(TABLE(query), checkpoint[, batch_id]) - The results that are still open in the " +
      "checkpoint of a streaming query with windows, as a batch table: the rows that the query " +
      "would write if its stream ended now. The checkpoint is only read. Use it in FROM.",
    """
    Arguments:
      * query - a table: a view of the streaming DataFrame that the query writes
      * checkpoint - a string literal: the checkpointLocation of the query
      * batch_id - an integer literal, optional: the micro-batch after which the stream would end;
          by default the last committed micro-batch
  """,
    "SELECT * FROM pending(TABLE(totals), '/checkpoints/totals')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
