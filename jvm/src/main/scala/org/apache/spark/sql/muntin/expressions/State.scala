package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** state: the groups in the state of a checkpoint, as a table. */
object State extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "state",
    Seq(Definition.required("checkpoint"), Definition.optional("batch_id", null)),
    "_FUNC_(checkpoint[, batch_id]) - The state in the checkpoint of a streaming query with " +
      "windows, as a batch table with a row for each group: its keys, rows, bytes, oldest and " +
      "newest time, and next timer. The checkpoint is only read. Use it in FROM.",
    """
    Arguments:
      * checkpoint - a string literal: the checkpointLocation of the query
      * batch_id - an integer literal, optional: the state after this micro-batch; by default after
          the last committed micro-batch
  """,
    "SELECT * FROM state('/checkpoints/totals') ORDER BY bytes DESC LIMIT 10",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
