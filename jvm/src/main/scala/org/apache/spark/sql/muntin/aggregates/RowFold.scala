package org.apache.spark.sql.muntin.aggregates

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  BoundReference,
  Expression,
  InterpretedOrdering,
  Predicate,
  SortOrder,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers

/**
 * An aggregate over rows that are all available at once: over the rows that pass its filter, or the
 * distinct rows among them. Its inputs are fields of these rows.
 */
final class RowFold(
    function: AggregateFunction,
    isDistinct: Boolean,
    filter: Option[Expression] = None
) {
  private val inputs = AggregateInputs.of(function)
  private val aggregate = {
    val (replaced, attributes) = AggregateInputs.replaced(function, inputs)
    SparkAggregate(SparkAggregate.bindEncoders(replaced), attributes)
  }
  private val passes = filter.map(Predicate.createInterpreted)
  private val inputsOf = UnsafeProjection.create(inputs)
  private val keys = AggregateInputs.of(function).map(NormalizeFloatingNumbers.normalize)
  private lazy val keyOf = UnsafeProjection.create(keys)
  private lazy val order = new InterpretedOrdering(keys.zipWithIndex.map { case (key, i) =>
    SortOrder(BoundReference(i, key.dataType, key.nullable), Ascending)
  })

  def apply(rows: Iterable[InternalRow]): Any =
    aggregate.evaluate(distinct(passing(rows.iterator)).map(inputsOf))

  private def passing(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    passes.fold(rows)(predicate => rows.filter(predicate.eval))

  private def distinct(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    if (!isDistinct) rows
    else {
      val distinctKeys = new util.TreeSet[InternalRow](order)
      rows.filter(row => distinctKeys.add(keyOf(row).copy()))
    }
}
