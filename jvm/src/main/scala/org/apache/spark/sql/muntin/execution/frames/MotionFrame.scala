package org.apache.spark.sql.muntin.execution.frames

import scala.annotation.unused
import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.functions.FrameBuilder
import org.apache.spark.sql.muntin.execution.rows.InputColumns
import io.muntin.kernel.Accumulator
import io.muntin.kernel.columns.Column
import org.apache.spark.sql.catalyst.expressions.Expression

/** A frame that drives its accumulators with its motion, over columns that the motion keeps. */
private[execution] abstract class MotionFrame extends FrameBuilder {
  private val parts = mutable.HashMap.empty[AnyRef, AnyRef]

  // Columns are requested before the motion exists.
  private val reader = new Column.Reader {
    override def floor: Long = motion.floor
  }

  protected def columns: InputColumns

  override def column(expression: Expression): Column = read(columns(expression))

  override def objectColumn(expression: Expression): Column = read(columns.asObject(expression))

  /** Reports that a function uses the accumulator with this key. */
  protected def uses(@unused key: AnyRef): Unit = ()

  override def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A = {
    uses(key)
    shared(key) {
      val made = make
      if (hasHoles && !made.anyOrder) {
        throw new IllegalStateException(s"${made.getClass} cannot have a hole in its frame")
      }
      drive(made)
      made
    }
  }

  // Not getOrElseUpdate: `make` may request shared parts itself.
  override def shared[A <: AnyRef](key: AnyRef)(make: => A): A =
    parts.getOrElse(key, { val made = make; parts(key) = made; made }).asInstanceOf[A]

  /** Returns the accumulators, by the keys under which functions share them. */
  protected final def accumulatorsByKey: Map[AnyRef, Accumulator] =
    parts.iterator.collect { case (key, made: Accumulator) => key -> made }.toMap

  protected final def read[C <: Column](column: C): C = {
    column.addReader(reader)
    column
  }
}
