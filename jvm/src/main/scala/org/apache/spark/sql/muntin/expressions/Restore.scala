package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** restore: a copy of a checkpoint as of a micro-batch whose files are whole, as a table. */
object Restore extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "restore",
    Seq("checkpoint", "to").map(Definition.required) :+ Definition.optional("batch_id", null),
    "_FUNC_(checkpoint, to[, batch_id]) - Copies the checkpoint of a stopped streaming query " +
      "with windows to another folder, as of its last micro-batch whose files are whole, and " +
      "returns a row for each operator. The checkpoint is only read. Use it in FROM.",
    """
    Arguments:
      * checkpoint - a string literal: the checkpointLocation of the query
      * to - a string literal: the folder of the copy, which must not exist or must be empty
      * batch_id - an integer literal, optional: the micro-batch to go back to
  """,
    "SELECT * FROM restore('/checkpoints/totals', '/checkpoints/new')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
