package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.expressions.Expression

/** `count` rows for which a condition is true. */
final case class RowsWhere(condition: Expression, count: Long)
