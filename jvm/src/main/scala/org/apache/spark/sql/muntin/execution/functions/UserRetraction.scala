package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.ColumnRow
import io.muntin.api.Retracting
import io.muntin.kernel.columns.Column
import io.muntin.kernel.merging.Retraction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.muntin.spark.UserAggregate

/** A user's aggregator that supports removing rows. */
private object RetractingUserAggregate {
  def unapply(function: AggregateFunction): Option[UserAggregate] =
    UserAggregate.unapply(function).filter(_.aggregator.isInstanceOf[Retracting[_, _]])
}

/** Runs a user's aggregator as Spark does, and also removes rows. */
private final class UserRetraction(
    user: UserAggregate,
    inputs: Seq[Attribute],
    row: ColumnRow,
    marks: Option[Column]
) extends Retraction {
  private val passing: Column = marks.orNull
  private val bound = user.over(inputs)
  private val aggregator = user.aggregator
  private val retracting = aggregator.asInstanceOf[Retracting[Any, Any]]
  private val arguments = UnsafeProjection.create(bound.arguments)
  private val read = bound.reader()
  private var buffer: Any = _

  override def zero(): Unit = buffer = aggregator.zero

  override def update(position: Long): Unit =
    if (takesPart(position)) buffer = aggregator.reduce(buffer, input(position))

  override def retract(position: Long): Unit =
    if (takesPart(position)) buffer = retracting.retract(buffer, input(position))

  def value: Any = bound.result(buffer)

  private def takesPart(position: Long): Boolean = passing == null || !passing.isNull(position)

  private def input(position: Long): Any = read(arguments(row.at(position)))
}
