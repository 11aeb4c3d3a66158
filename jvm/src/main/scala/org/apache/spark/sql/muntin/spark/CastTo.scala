package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.types.DataType

/** What is cast, and to which type, in whatever time zone and mode. */
object CastTo {
  def unapply(cast: Cast): Some[(Expression, DataType)] = Some((cast.child, cast.dataType))
}
