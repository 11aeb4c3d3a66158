package org.apache.spark.sql.muntin.execution.frames

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.functions.FrameBuilder
import org.apache.spark.sql.muntin.execution.rows.InputColumns
import io.muntin.kernel.{Accumulator, SavableState}
import io.muntin.kernel.columns.Column
import org.apache.spark.sql.catalyst.expressions.Expression

/** A frame that drives its accumulators with its motion, over columns that the motion keeps. */
private[execution] abstract class MotionFrame extends FrameBuilder {
  private val parts = mutable.HashMap.empty[AnyRef, AnyRef]
  // The keys of the accumulators of each function, in the order of its requests.
  private val keysOf = mutable.HashMap.empty[Int, mutable.ArrayBuffer[AnyRef]]
  private var function = -1

  // Columns are requested before the motion exists.
  private val reader = new Column.Reader {
    override def floor: Long = motion.floor
  }

  protected def columns: InputColumns

  override def column(expression: Expression): Column = read(columns(expression))

  override def objectColumn(expression: Expression): Column = read(columns.asObject(expression))

  /** Builds a part of the function at this ordinal, which requests its accumulators. */
  protected final def buildFor[A](ordinal: Int)(build: => A): A = {
    function = ordinal
    build
  }

  override def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A = {
    keysOf.getOrElseUpdate(function, mutable.ArrayBuffer.empty) += key
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

  /** Returns the accumulators of the function at this ordinal, in the order of its requests. */
  private[execution] final def accumulators(ordinal: Int): Seq[AnyRef] =
    keysOf.get(ordinal).fold(Seq.empty[AnyRef])(_.toSeq).map(parts)

  private def saved(ordinal: Int): Seq[SavableState] = accumulators(ordinal).map {
    case saved: SavableState => saved
    case other => throw new IllegalStateException(s"${other.getClass} cannot be saved")
  }

  /**
   * Gives the frame of another query the accumulators of the functions that continue. A function
   * requests its accumulators in the same order in both queries; their keys may contain ordinals.
   *
   * @param continuing
   *   the ordinals of the functions in the other frame, and in this frame
   */
  protected final def give(other: MotionFrame, continuing: Map[Int, Int]): Unit =
    for ((now, before) <- continuing if other.keysOf.contains(now)) {
      val (old, same) = (saved(before), other.saved(now))
      if (old.map(_.getClass) != same.map(_.getClass)) {
        throw new IllegalStateException(s"function $before has other accumulators: $old, $same")
      }
      old.zip(same).foreach { case (from, to) => Transferred(from.save(_))(to.restore(_)) }
    }

  protected final def read[C <: Column](column: C): C = {
    column.addReader(reader)
    column
  }
}
