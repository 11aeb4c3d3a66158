package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.muntin.expressions.common.{Arguments, Definition, SqlFunction}

/** repartition: a copy of a checkpoint with another number of partitions, as a table. */
object Repartition extends SqlFunction {
  private val Example = "SELECT * FROM repartition('/checkpoints/totals', 64, '/checkpoints/new')"

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
    Example,
    Nil,
    "table_funcs",
    "0.1.0"
  )

  override protected def build: PartialFunction[Seq[Expression], Expression] = { case _ =>
    throw new Arguments(name).error(
      "MUNTIN_MISPLACED_TABLE_FUNCTION",
      "place" -> "an expression",
      "example" -> Example
    )
  }
}
