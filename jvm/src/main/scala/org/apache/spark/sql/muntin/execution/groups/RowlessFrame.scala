package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.execution.frames.MotionFrame
import org.apache.spark.sql.muntin.execution.rows.Output

/** The frame of windows that do not belong to a row: it has no current row. */
private[execution] abstract class RowlessFrame extends MotionFrame {

  /** Returns the functions' outputs. */
  protected def outputs: Array[Output]

  /** Writes the results of the motion's current window. */
  protected final def writeResults(target: InternalRow): Unit = {
    val all = outputs
    var i = 0
    while (i < all.length) {
      all(i).write(target)
      i += 1
    }
  }
}
