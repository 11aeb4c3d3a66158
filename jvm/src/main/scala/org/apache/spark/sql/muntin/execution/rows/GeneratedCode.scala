package org.apache.spark.sql.muntin.execution.rows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Code that Spark generates, made once for all kernels of a thread: to find code that has been
 * compiled already takes Spark longer than everything else that a kernel is made of.
 */
final class GeneratedCode(input: Seq[Attribute]) {
  private val made = mutable.HashMap.empty[AnyRef, AnyRef]

  def ordering(order: Seq[SortOrder]): Ordering[InternalRow] =
    once(("ordering", order))(RowOrdering.create(order, input))

  def predicate(condition: Expression): BasePredicate =
    once(("predicate", condition))(Predicate.create(condition, input))

  /** The projection's rows are valid until anyone calls it again. */
  def projection(expressions: Seq[Expression]): UnsafeProjection =
    once(("projection", expressions))(UnsafeProjection.create(expressions, input))

  private def once[A <: AnyRef](key: AnyRef)(make: => A): A =
    made.getOrElseUpdate(key, make).asInstanceOf[A]
}
