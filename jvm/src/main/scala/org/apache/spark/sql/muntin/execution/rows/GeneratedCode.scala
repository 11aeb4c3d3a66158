package org.apache.spark.sql.muntin.execution.rows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Caches the code that Spark generates, for all kernels of a thread: to find compiled code takes
 * Spark longer than creating the rest of a kernel.
 */
final class GeneratedCode(input: Seq[Attribute]) {
  private val made = mutable.HashMap.empty[AnyRef, AnyRef]

  def ordering(order: Seq[SortOrder]): Ordering[InternalRow] =
    memoized(("ordering", order))(RowOrdering.create(order, input))

  def predicate(condition: Expression): BasePredicate =
    memoized(("predicate", condition))(Predicate.create(condition, input))

  /** Returns a projection. Its rows are valid until its next call, by any caller. */
  def projection(expressions: Seq[Expression]): UnsafeProjection =
    memoized(("projection", expressions))(UnsafeProjection.create(expressions, input))

  private def memoized[A <: AnyRef](key: AnyRef)(make: => A): A =
    made.getOrElseUpdate(key, make).asInstanceOf[A]
}
