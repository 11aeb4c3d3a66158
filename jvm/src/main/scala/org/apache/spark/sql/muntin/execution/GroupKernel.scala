package org.apache.spark.sql.muntin.execution

import io.muntin.kernel._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The kernels of one task, put together: the columns, the windows, the accumulators and outputs of groups.
 * It is told which rows arrive and writes one window after the other.
 */
final class GroupKernel(
    plan: GroupPlan,
    functions: Seq[FunctionPlan],
    fields: Int,
    childOutput: Seq[Attribute],
    memory: Memory
) {
  private val columns = new InputColumns(childOutput, memory)
  private val frames = Array.tabulate(plan.tracks)(new Frame(_))
  private val feed = columns.feed
  private var arrived = 0L
  // Which frames have a window that has not been written.
  private val waiting = new Array[Boolean](frames.length)

  def startGroup(): Unit = {
    columns.clear()
    arrived = 0L
    var i = 0
    while (i < frames.length) {
      waiting(i) = false
      frames(i).motion.startPartition()
      i += 1
    }
  }

  def arrive(row: UnsafeRow): Unit = {
    feed(row)
    arrived += 1
    var i = 0
    while (i < frames.length) {
      frames(i).motion.arrive(arrived)
      i += 1
    }
  }

  /**
   * Writes the next window that can be told, and its results behind the window's fields; `ended` says
   * that the group has no more rows.
   */
  def next(ended: Boolean, target: InternalRow): Boolean = {
    var first = -1
    var i = 0
    while (i < frames.length) {
      if (!waiting(i)) waiting(i) = frames(i).motion.next(arrived, ended)
      if (waiting(i) && (first < 0 || frames(i).isBefore(frames(first)))) first = i
      i += 1
    }
    val found = first >= 0
    if (found) {
      waiting(first) = false
      frames(first).write(target)
    }
    found
  }

  private final class Frame(track: Int) extends RowlessFrame with GroupFrame {
    override def memory: Memory = GroupKernel.this.memory

    override protected def columns: InputColumns = GroupKernel.this.columns

    override val slots: Option[Slots] =
      if (plan.scatters) Some(new Slots(GroupKernel.this.memory)) else None

    override def hasHoles: Boolean = plan.scatters

    override def arriving(expression: Expression): Column = super.column(expression)

    override def column(expression: Expression): Column =
      slots.fold(super.column(expression))(_.column(super.column(expression)))

    override def objectColumn(expression: Expression): Column =
      slots.fold(super.objectColumn(expression))(_.column(super.objectColumn(expression)))

    private val windowing = plan.build(this, track)

    override def motion: GroupMotion = windowing.motion

    override protected val outputs: Array[Output] =
      functions.zipWithIndex.map { case (f, i) => f.build(this, fields + i) }.toArray

    def isBefore(other: Frame): Boolean = windowing.isBefore(other.windowing)

    // The results that were written last are those of no rows, as are those of every empty window.
    private var isWritten = false

    def write(target: InternalRow): Unit = {
      windowing.write(target)
      val isEmpty = motion.size == 0L
      if (!isEmpty || !isWritten) {
        writeResults(target)
      }
      isWritten = isEmpty && frames.length == 1
    }
  }
}
