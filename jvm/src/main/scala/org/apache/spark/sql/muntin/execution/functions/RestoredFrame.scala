package org.apache.spark.sql.muntin.execution.functions

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.rows.ValueType
import io.muntin.kernel.Accumulator
import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{Motion, PaneMotion}
import io.muntin.kernel.sums.{ChunkSum, ExactSums}
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/**
 * Runs the last step of an aggregate's plan, without rows: the accumulators that it would read
 * exist, and receive sums that were kept elsewhere.
 */
final class RestoredFrame(function: AggregateFunction) {
  private val parts = mutable.LinkedHashMap.empty[AnyRef, AnyRef]
  private val row = new GenericInternalRow(1)
  private val output =
    (ExactGroupPlans.plans orElse MomentPlans.plans)(Call(function, None)).build(Frame, 0)

  private val accumulators = parts.values.collect { case a: ExactSums => a }.toArray

  /** Returns the function's result over `count` rows of these sums. */
  def apply(count: Long, sums: Array[ChunkSum]): Any = {
    // In OVER it is called for every row.
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).restore(count, sums)
      i += 1
    }
    output.write(row)
    row.get(0, function.dataType)
  }

  private object Frame extends FrameBuilder {
    override def memory: Memory = Memory.Unlimited
    override def column(expression: Expression): Column =
      ValueType(expression.dataType).column(memory, nullable = true)

    override def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A = shared(key)(make)

    override def shared[A <: AnyRef](key: AnyRef)(make: => A): A =
      parts.getOrElseUpdate(key, make).asInstanceOf[A]

    // No row ever leaves.
    override val motion: Motion = new PaneMotion

    override def objectColumn(expression: Expression): Column =
      ValueType.asObject(expression.dataType).column(memory, nullable = true)
  }
}
