package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.ColumnRow
import io.muntin.Retracting
import io.muntin.kernel.columns.Column
import io.muntin.kernel.merging.Retraction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.execution.aggregate.ScalaAggregator

/** A user's aggregator that can take rows out again. */
private object Takes {
  def unapply(function: AggregateFunction): Option[ScalaAggregator[Any, Any, Any]] =
    function match {
      case user @ ScalaAggregator(_, _: Retracting[_, _], _, _, _, _, _, _, _) =>
        Some(user.asInstanceOf[ScalaAggregator[Any, Any, Any]])
      case _ => None
    }
}

/** A user's aggregator, called as Spark calls it, that can also take rows out again. */
private final class UserRetraction(
    user: ScalaAggregator[Any, Any, Any],
    inputs: Seq[Attribute],
    row: ColumnRow,
    marks: Option[Column]
) extends Retraction {
  private val passing: Column = marks.orNull
  private val bound = BindReferences.bindReference(user: Expression, AttributeSeq(inputs))
    .asInstanceOf[ScalaAggregator[Any, Any, Any]]
  private val retracting = user.agg.asInstanceOf[Retracting[Any, Any]]
  private val arguments = UnsafeProjection.create(bound.children)
  private val deserializer = bound.inputEncoder.createDeserializer()
  private var buffer: Any = _

  override def zero(): Unit = buffer = user.agg.zero

  override def update(position: Long): Unit =
    if (takesPart(position)) buffer = user.agg.reduce(buffer, input(position))

  override def retract(position: Long): Unit =
    if (takesPart(position)) buffer = retracting.retract(buffer, input(position))

  def value: Any = bound.eval(buffer)

  private def takesPart(position: Long): Boolean = passing == null || !passing.isNull(position)

  private def input(position: Long): Any = deserializer(arguments(row.at(position)))
}
