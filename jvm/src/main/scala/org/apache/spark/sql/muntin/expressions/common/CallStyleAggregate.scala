package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** An aggregate that SQL and EXPLAIN show as its name and the arguments of its call. */
private[muntin] trait CallStyleAggregate extends AggregateFunction {

  /** Returns the arguments; `format` formats an expression. */
  protected def argumentTexts(format: Expression => String): Seq[String]

  /** Returns the arguments that are not values of a row, as parts of a name. */
  final def parameters: Seq[String] =
    argumentTexts(_ => "").map(
      _.split("[^\\w.-]+").filter(_.nonEmpty).mkString("_")
    ).filter(_.nonEmpty)

  final override def sql(isDistinct: Boolean): String =
    call(if (isDistinct) "DISTINCT " else "", _.sql)

  final override def sql: String = sql(isDistinct = false)

  final override def toAggString(isDistinct: Boolean): String =
    call(if (isDistinct) "distinct " else "", _.toString)

  final override def toString: String = toAggString(isDistinct = false)

  private def call(distinct: String, format: Expression => String): String =
    s"$prettyName($distinct${argumentTexts(format).mkString(", ")})"
}
