package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.execution.frames.MotionFrame
import org.apache.spark.sql.muntin.execution.rows.Output

/** The frame of windows that are not those of a row: no row of theirs is the current row. */
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
}
