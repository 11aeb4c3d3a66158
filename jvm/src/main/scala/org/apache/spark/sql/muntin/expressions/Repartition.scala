package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.muntin.expressions.common.{Definition, TableOnlyFunction}

/** repartition: a copy of a checkpoint with another number of partitions, as a table. */
object Repartition extends TableOnlyFunction {
  override val definition: Definition = Definition(
    "repartition",
    Seq("checkpoint", "partitions", "to").map(Definition.required),
    "_FUNC_(checkpoint, partitions, to) - Copies the checkpoint of a stopped streaming query " +
      "with windows to another folder, with its state in another number of partitions, and " +
      "returns a row for each operator. The checkpoint is only read. Use it in FROM.",
    """
    Arguments:
      * checkpoint - a string literal: the checkpointLocation of the query
      * partitions - a positive integer literal: the new number of partitions
      * to - a string literal: the folder of the copy, which must not exist or must be empty
  """,
    "SELECT * FROM repartition('/checkpoints/totals', 64, '/checkpoints/new')",
    Nil,
    "table_funcs",
    "0.1.0"
  )
}
