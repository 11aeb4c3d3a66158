package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.{Accumulator, Column, LongColumn, Memory, Motion, Ranking}
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

/** The `index`-th piece of a frame with holes, as a frame of its own. */
private[execution] final class PieceBuilder(
    frame: FrameBuilder,
    override val motion: Motion,
    index: Int
) extends FrameBuilder {
  override def memory: Memory = frame.memory
  override def ranking: Ranking = frame.ranking
  override def column(expression: Expression): Column = frame.column(expression)
  override def objectColumn(expression: Expression): Column = frame.objectColumn(expression)
  override def peers(order: Seq[SortOrder]): LongColumn = frame.peers(order)
  override def currentColumn(expression: Expression): Column = frame.currentColumn(expression)
  override def counted: Option[LongColumn] = frame.counted
  override def currentRow: Long = frame.currentRow

  override def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A =
    shared(key) {
      val made = make
      motion.drive(made)
      made
    }

  override def shared[A <: AnyRef](key: AnyRef)(make: => A): A =
    frame.shared(("piece", index, key))(make)
}
