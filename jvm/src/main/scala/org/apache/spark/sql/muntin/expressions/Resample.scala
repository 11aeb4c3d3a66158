package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.Expression

/** resample: rows on a grid of times, as a table. */
object Resample extends SqlFunction {
  override def definition: Definition = Definitions.resample

  override protected def build: PartialFunction[Seq[Expression], Expression] = { case _ =>
    throw InvalidArgument(
      name,
      "FROM",
      "no table; it is one, as in SELECT * FROM resample(TABLE(readings), 'at', '5 minutes', " +
        "fill => 'last')"
    )
  }
}
