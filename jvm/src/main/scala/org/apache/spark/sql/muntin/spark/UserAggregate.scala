package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSeq,
  BindReferences,
  Expression
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.execution.aggregate.ScalaAggregator
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.types.StructType

/** A user's `Aggregator` in a query. */
final class UserAggregate private (function: ScalaAggregator[Any, Any, Any]) {
  def aggregator: Aggregator[Any, Any, Any] = function.agg

  /** Returns the aggregator with bound encoders, if Spark's analysis has not bound them. */
  def withEncoders: AggregateFunction = function.copy(
    inputEncoder = bind(function.inputEncoder),
    bufferEncoder = bind(function.bufferEncoder)
  )

  private def bind[T](encoder: ExpressionEncoder[T]): ExpressionEncoder[T] = {
    val isBound =
      !encoder.objDeserializer.exists(e => !e.resolved || e.isInstanceOf[Attribute])
    if (isBound) encoder else encoder.resolveAndBind()
  }

  /** Returns the aggregator over rows of these fields. */
  def over(fields: Seq[Attribute]): UserAggregate = new UserAggregate(
    BindReferences.bindReference(function: Expression, AttributeSeq(fields))
      .asInstanceOf[ScalaAggregator[Any, Any, Any]]
  )

  def arguments: Seq[Expression] = function.children

  /** Returns a function that reads the aggregator's input from a row of the arguments. */
  def reader(): InternalRow => Any = function.inputEncoder.createDeserializer()

  /** Returns the columns in which the encoder of the buffer writes it. */
  def bufferType: StructType = function.bufferEncoder.schema

  /** Returns Spark's result for a buffer. */
  def result(buffer: Any): Any = function.eval(buffer)
}

object UserAggregate {
  def unapply(function: AggregateFunction): Option[UserAggregate] = function match {
    case user: ScalaAggregator[_, _, _] =>
      Some(new UserAggregate(user.asInstanceOf[ScalaAggregator[Any, Any, Any]]))
    case _ => None
  }
}
