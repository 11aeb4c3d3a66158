package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.types.{DataType, TimeType}

/** The type TIME, which exists since Spark 4.1. */
object TimeOfDay {
  def unapply(dataType: DataType): Boolean = dataType.isInstanceOf[TimeType]
}
