package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.types.DataType

/** Matches a cast in any time zone and mode, and returns its input and type. */
object CastTo {
  def unapply(cast: Cast): Some[(Expression, DataType)] = Some((cast.child, cast.dataType))
}
