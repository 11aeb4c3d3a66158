package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression

/** An expression that is null where one of its inputs is. */
trait NullPropagating extends Expression {
  override def nullIntolerant: Boolean = true
}
