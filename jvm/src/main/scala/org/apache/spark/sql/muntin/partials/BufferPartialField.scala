package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.aggregates.{AggregateInputs, SparkAggregate}
import org.apache.spark.sql.muntin.expressions.common.CallStyleAggregate
import org.apache.spark.sql.types.DataType

/**
 * The aggregate's own buffer, as Spark keeps it. Only the same function with the same parameters
 * can continue with the buffer, so the component's name contains both.
 */
final class BufferPartialField(function: AggregateFunction) extends PartialField {
  override lazy val name: String = BufferPartialField.name(function)

  override def dataType: DataType = aggregate.storedType

  private lazy val inputs = AggregateInputs.of(function).toArray
  private lazy val read = new GenericInternalRow(inputs.length)
  private lazy val aggregate = {
    val (replaced, attributes) = AggregateInputs.replaced(function, inputs.toSeq)
    SparkAggregate(replaced, attributes)
  }

  override def start(): MergeableFieldState = new BufferState(aggregate, inputsOf)

  private def inputsOf(row: InternalRow): InternalRow = {
    var i = 0
    while (i < inputs.length) {
      read.update(i, inputs(i).eval(row))
      i += 1
    }
    read
  }
}

/** One of many partials, which take turns as the current one. */
final class BufferState[F <: AnyRef](
    aggregate: SparkAggregate[F],
    inputsOf: InternalRow => InternalRow
) extends MergeableFieldState {
  aggregate.start()
  private var partial = aggregate.currentBuffer

  override def update(inputs: Inputs): Unit = {
    aggregate.take(partial)
    aggregate.update(inputsOf(inputs.row))
    partial = aggregate.currentBuffer
  }

  override def merge(stored: Any): Unit = {
    aggregate.take(partial)
    aggregate.merge(aggregate.ofStored(stored))
    partial = aggregate.currentBuffer
  }

  override def value: Any = {
    aggregate.take(partial)
    aggregate.storedOf(aggregate.freeze())
  }

  /** Returns the aggregate's value over the partial. */
  def result: Any = {
    aggregate.take(partial)
    aggregate.value
  }
}

object BufferPartialField {

  /** Returns the component; None for an aggregate whose buffer cannot be kept and merged. */
  def of(function: AggregateFunction): Option[BufferPartialField] =
    SparkAggregate.bindEncoders(function) match {
      case known if !SparkAggregate.canRun(known) || !SparkAggregate.canMerge(known) => None
      case known => Some(new BufferPartialField(known))
    }

  private def name(function: AggregateFunction): String = {
    val parameters = function match {
      case First(_, ignoreNulls) => if (ignoreNulls) Seq("ignore_nulls") else Nil
      case Last(_, ignoreNulls) => if (ignoreNulls) Seq("ignore_nulls") else Nil
      case h: HyperLogLogPlusPlus => Seq(h.relativeSD.toString)
      // The percentages are specified when the function is finished.
      case a: ApproximatePercentile => Seq(text(a.accuracyExpression))
      case _: MaxBy | _: MinBy => Nil
      case own: CallStyleAggregate => constants(own) ++ own.parameters
      case other => constants(other)
    }
    (ownName(function) +: parameters).mkString("_")
  }

  private def constants(function: AggregateFunction): Seq[String] =
    function.children.drop(1).filter(_.foldable).map(text)

  // If a function has several names: returns the name that does not depend on the query.
  private def ownName(function: AggregateFunction): String = {
    val copy = function.clone()
    copy.unsetTagValue(FunctionRegistry.FUNC_ALIAS)
    copy.asInstanceOf[AggregateFunction].prettyName
  }

  private def text(parameter: Expression): String = String.valueOf(parameter.eval())
}
