package org.apache.spark.sql.muntin.execution.groups

import java.io.{DataInput, DataOutput}

import org.apache.spark.sql.muntin.execution.frames.Transferred
import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.rows.{GeneratedCode, InputColumns, Output}
import io.muntin.kernel.SavableState
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.GroupMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The kernel of one task: it combines the columns, motions, accumulators and outputs of groups.
 * Rows arrive, and it returns windows one by one. On a stream a group resumes as the header of
 * GroupMotion describes; `allGroups` has the task's information about the rows of all groups.
 *
 *     startGroup   arrive(row)   next, until it is false   arrive(row)   next …   next(ended)
 */
final class GroupKernel(
    plan: GroupWindowPlan,
    allGroups: AllGroups,
    functions: Seq[AggregatePlan],
    ordinals: Seq[Int],
    childOutput: Seq[Attribute],
    memory: Memory,
    code: GeneratedCode
) {
  private val columns = new InputColumns(childOutput, memory, code)
  private val frames = Array.tabulate(plan.tracks)(new Frame(_))
  private val feed = columns.feed
  private var rows = 0L
  // The position after the last row that has arrived again.
  private var replayed = 0L
  // The frames that have found a window that has not been written.
  private val waiting = new Array[Boolean](frames.length)

  def startGroup(): Unit = startGroup(0L)

  /** Starts with the row at `first`. */
  def startGroup(first: Long): Unit = {
    columns.clear(first)
    rows = first
    replayed = first
    var i = 0
    while (i < frames.length) {
      waiting(i) = false
      frames(i).start(first)
      i += 1
    }
  }

  /**
   * Writes the state that rows that arrive again do not determine. Call it when `next` finds no
   * more windows.
   */
  def save(out: DataOutput): Unit = frames.foreach(_.save(out))

  /** Reads what `save` wrote, after `startGroup`. */
  def resume(in: DataInput): Unit = frames.foreach(_.resume(in))

  /**
   * Resumes a group of a changed query after `startGroup`. `before` has resumed the group with the
   * same windows and the previous query's functions, whose columns have the same ids.
   *
   * @param continuing
   *   the ordinals of functions that continue, here and in `before`
   */
  def adopt(before: GroupKernel, first: Long, continuing: Map[Int, Int]): Unit = {
    startGroup(first)
    frames.zip(before.frames).foreach { case (frame, old) => old.giveTo(frame, continuing) }
  }

  /** Returns the accumulators of the function at this ordinal, in all tracks. */
  def accumulators(ordinal: Int): Seq[AnyRef] = frames.toSeq.flatMap(_.accumulators(ordinal))

  /** Completes the adoption: all rows have arrived again, and enter the windows that are open. */
  def adopted(): Unit = frames.foreach { frame =>
    if (frame.motion.next(arrived, ended = false)) {
      throw new IllegalStateException(s"a window of ${plan.sql} is emitted again")
    }
  }

  /** If rows are in slots: the row at `position`, one of `positions`, arrives again. */
  def replayRow(row: UnsafeRow, position: Long): Unit = {
    if (position != replayed) columns.clear(position)
    feed(row)
    replayed = position + 1L
    frames.foreach(_.motion.replayRow(position))
  }

  /** Completes the resumption: all rows have arrived again. */
  def resumed(): Unit = if (replayed != rows) columns.clear(rows)

  /** If rows are in slots: returns the rows that must arrive again, in their order. */
  def positions: Array[Long] = {
    require(frames.length == 1, s"${plan.sql} has several tracks")
    frames(0).motion.positions
  }

  /** Raises the bound: no later row of any group has a time below `bound`. */
  def raiseBound(bound: Long): Unit = frames.foreach(_.motion.raiseBound(bound))

  /** Ends a stream: no row of any group follows, and `newest` is the newest time. */
  def end(newest: Long): Unit = frames.foreach(_.motion.end(newest))

  /** Cuts windows at these times in this micro-batch. */
  def cutAt(times: LongColumn): Unit = frames.foreach(_.motion.cutAt(times))

  /**
   * Skips the windows that begin before the windows of the next row: the arrived rows serve only
   * later windows.
   */
  def passOver(): Unit = frames.foreach(_.motion.passOver(arrived))

  /** Restricts the windows to a chunk's: their places on the grid are from `from` until `until`. */
  def between(from: Long, until: Long): Unit = frames.foreach(_.motion.between(from, until))

  /** Returns how many rows have arrived. */
  def arrived: Long = rows

  /** Returns the first row that must arrive again. */
  def oldest: Long = {
    var oldest = arrived
    var i = 0
    while (i < frames.length) {
      oldest = math.min(oldest, frames(i).motion.oldestNeeded)
      i += 1
    }
    oldest
  }

  /** Returns the bound from which there is work without another row. */
  def wakeUpTime: Long =
    frames.foldLeft(Long.MaxValue)((least, f) => math.min(least, f.motion.wakeUpTime))

  /** On a stream: returns the start of the oldest open window; Long.MaxValue if none is known. */
  def begin: Long = frames.foldLeft(Long.MaxValue)((l, f) => math.min(l, f.motion.begin))

  def isDone: Boolean = frames.forall(_.motion.isDone)

  def arrive(row: UnsafeRow): Unit = {
    feed(row)
    rows += 1
    var i = 0
    while (i < frames.length) {
      frames(i).motion.arrive(arrived)
      i += 1
    }
  }

  /**
   * Writes the next window that is ready: its fields to `window`, its results to `results`, each at
   * its ordinal; `ended`: all rows of the group have arrived.
   */
  def next(ended: Boolean, window: InternalRow, results: InternalRow): Boolean = {
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
      frames(first).write(window, results)
    }
    found
  }

  private final class Frame(track: Int) extends RowlessFrame with GroupFrame {
    override def memory: Memory = GroupKernel.this.memory

    override def allGroups: AllGroups = GroupKernel.this.allGroups

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
      functions.zip(ordinals).zipWithIndex.map { case ((f, ordinal), i) =>
        buildFor(i)(f.build(this, ordinal))
      }.toArray

    def isBefore(other: Frame): Boolean = windowing.isBefore(other.windowing)

    private lazy val saved: Seq[SavableState] =
      if (motion.saves) motion.driven.collect { case a: SavableState => a } else Nil

    def save(out: DataOutput): Unit = {
      motion.save(out)
      saved.foreach(_.save(out))
    }

    def resume(in: DataInput): Unit = {
      motion.resume(in)
      saved.foreach(_.restore(in))
    }

    private[GroupKernel] def giveTo(other: GroupKernel#Frame, continuing: Map[Int, Int]): Unit = {
      val isSaved = motion.saves
      if (isSaved && !other.motion.saves) {
        throw new IllegalStateException(s"the state has no rows of ${plan.sql}")
      }
      Transferred(motion.save(_))(other.motion.resume(_: DataInput, isSaved))
      if (isSaved) give(other, continuing)
    }

    // True if the results that were written last are the results of no rows, which every empty
    // window has.
    private var isWritten = false

    def start(first: Long): Unit = {
      isWritten = false
      motion.startPartition(first)
    }

    def write(window: InternalRow, results: InternalRow): Unit = {
      windowing.write(window)
      val isEmpty = motion.size == 0L
      if (!isEmpty || !isWritten) {
        writeResults(results)
      }
      isWritten = isEmpty && frames.length == 1
    }
  }
}
