package org.apache.spark.sql.muntin.execution.rows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * What Spark generates code for, made once for all kernels of a thread that ask for the same: to
 * find that it has been compiled already takes Spark longer than all else that a kernel is made of.
 */
final class GeneratedCode(input: Seq[Attribute]) {
  private val made = mutable.HashMap.empty[AnyRef, AnyRef]

  def ordering(order: Seq[SortOrder]): Ordering[InternalRow] =
    once(("ordering", order))(RowOrdering.create(order, input))

  def predicate(condition: Expression): BasePredicate =
    once(("predicate", condition))(Predicate.create(condition, input))

  /** Its rows are valid until the next call, whoever makes that. */
  def projection(expressions: Seq[Expression]): UnsafeProjection =
    once(("projection", expressions))(UnsafeProjection.create(expressions, input))

  private def once[A <: AnyRef](key: AnyRef)(make: => A): A =
    made.getOrElseUpdate(key, make).asInstanceOf[A]
}
