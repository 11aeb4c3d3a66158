package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.Expression

/** A function that is only allowed in FROM. */
trait TableOnlyFunction extends SqlFunction {
  final override protected def build: PartialFunction[Seq[Expression], Expression] = { case _ =>
    throw new Arguments(name).error(
      "MUNTIN_MISPLACED_TABLE_FUNCTION",
      "place" -> "an expression",
      "example" -> definition.query
    )
  }
}
