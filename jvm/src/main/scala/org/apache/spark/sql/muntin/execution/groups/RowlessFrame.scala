package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.frames.MotionFrame
import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.ranks.Ranking
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

/** The frame of windows that are not those of a row: no row of theirs is the current one. */
private[execution] abstract class RowlessFrame extends MotionFrame {

  /** The functions, each with its field of the results. */
  protected def outputs: Array[Output]

  /** Writes the results of the window that the motion is at. */
  protected final def writeResults(target: InternalRow): Unit = {
    val all = outputs
    var i = 0
    while (i < all.length) {
      all(i).write(target)
      i += 1
    }
  }

  final override def peers(order: Seq[SortOrder]): LongColumn = none
  final override def ranking: Ranking = none
  final override def currentColumn(expression: Expression): Column = none
  final override def currentRow: Long = none
  final override def counted: Option[LongColumn] = None

  private def none: Nothing =
    throw new UnsupportedOperationException("these windows have no row of their own")
}
