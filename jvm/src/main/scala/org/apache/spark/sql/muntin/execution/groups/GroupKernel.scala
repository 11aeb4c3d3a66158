package org.apache.spark.sql.muntin.execution.groups

import java.io.{DataInput, DataOutput}

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.rows.{GeneratedCode, InputColumns, Output}
import io.muntin.kernel.Saved
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.GroupMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The kernels of one task, put together: the columns, the windows, the accumulators and outputs of
 * groups. It is told which rows arrive and writes one window after the other. On a stream a group
 * goes on as a GroupMotion has it.
 */
final class GroupKernel(
    plan: GroupPlan,
    functions: Seq[AggregatePlan],
    ordinals: Seq[Int],
    childOutput: Seq[Attribute],
    memory: Memory,
    code: GeneratedCode
) {
  def this(
      plan: GroupPlan,
      functions: Seq[AggregatePlan],
      ordinals: Seq[Int],
      childOutput: Seq[Attribute],
      memory: Memory
  ) = this(plan, functions, ordinals, childOutput, memory, new GeneratedCode(childOutput))

  private val columns = new InputColumns(childOutput, memory, code)
  private val frames = Array.tabulate(plan.tracks)(new Frame(_))
  private val feed = columns.feed
  private var rows = 0L
  // The position after that of the row that has arrived again last.
  private var again = 0L
  // Which frames have a window that has not been written.
  private val waiting = new Array[Boolean](frames.length)

  def startGroup(): Unit = startGroup(0L)

  /** Begins with the row at `first`. */
  def startGroup(first: Long): Unit = {
    columns.clear(first)
    rows = first
    again = first
    var i = 0
    while (i < frames.length) {
      waiting(i) = false
      frames(i).start(first)
      i += 1
    }
  }

  /** When `next` has found nothing more: what rows that arrive again do not say. */
  def save(out: DataOutput): Unit = frames.foreach(_.save(out))

  /** Takes that up again, after `startGroup`. */
  def resume(in: DataInput): Unit = frames.foreach(_.resume(in))

  /** Where rows lie in slots: the row at `position` arrives again, one of `positions`. */
  def arriveAgain(row: UnsafeRow, position: Long): Unit = {
    if (position != again) columns.clear(position)
    feed(row)
    again = position + 1L
    frames.foreach(_.motion.arriveAgain(position))
  }

  /** All rows have arrived again. */
  def resumed(): Unit = if (again != rows) columns.clear(rows)

  /** Where rows lie in slots: which of them have to arrive again, in their order. */
  def positions: Array[Long] = {
    require(frames.length == 1, s"${plan.sql} has several tracks")
    frames(0).motion.positions
  }

  /** No row of any group will arrive whose time is below `bound`. */
  def raiseBound(bound: Long): Unit = frames.foreach(_.motion.raiseBound(bound))

  /** Windows are cut at these times in this micro-batch. */
  def cutAt(times: LongColumn): Unit = frames.foreach(_.motion.cutAt(times))

  /**
   * Passes over the windows that begin before those of the next row: the rows that have arrived are
   * there for later windows alone.
   */
  def passOver(): Unit = frames.foreach(_.motion.passOver(arrived))

  /**
   * Only those of its windows count whose places on their grid lie from `from` on until `until`: a
   * part of the group's.
   */
  def between(from: Long, until: Long): Unit = frames.foreach(_.motion.between(from, until))

  /** How many rows have arrived. */
  def arrived: Long = rows

  /** The first row that has to arrive again. */
  def kept: Long = {
    var kept = arrived
    var i = 0
    while (i < frames.length) {
      kept = math.min(kept, frames(i).motion.kept)
      i += 1
    }
    kept
  }

  /** The bound at which there is something to do without another row. */
  def wake: Long = frames.foldLeft(Long.MaxValue)((least, f) => math.min(least, f.motion.wake))

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
   * Writes the next window that can be told, from the first field of `window` on, and its results,
   * each to its ordinal of `results`; `ended` says that the group has no more rows.
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
      functions.zip(ordinals).map { case (f, ordinal) => f.build(this, ordinal) }.toArray

    def isBefore(other: Frame): Boolean = windowing.isBefore(other.windowing)

    private lazy val saved: Seq[Saved] =
      if (motion.saves) motion.driven.collect { case a: Saved => a } else Nil

    def save(out: DataOutput): Unit = {
      motion.save(out)
      saved.foreach(_.save(out))
    }

    def resume(in: DataInput): Unit = {
      motion.resume(in)
      saved.foreach(_.restore(in))
    }

    // The results that were written last are those of no rows, as are those of every empty window.
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
