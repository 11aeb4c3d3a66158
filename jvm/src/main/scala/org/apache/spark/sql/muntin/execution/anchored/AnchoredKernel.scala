package org.apache.spark.sql.muntin.execution.anchored

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.groups.RowlessFrame
import org.apache.spark.sql.muntin.execution.rows.{GeneratedCode, InputColumns, Output}
import io.muntin.kernel.columns.{Column, DoubleColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.SharedBlocks
import io.muntin.kernel.motions.{
  Chain,
  Chains,
  Motion,
  NonMonotonicWindows,
  RowsBetween,
  UnorderedChains
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The kernel of one task: the columns of the source, and the accumulators and outputs of all
 * functions. Functions with non-monotonic windows have one frame, which evaluates each window from
 * the start; all others have chains of windows, each a separate frame. Anchors arrive in the order
 * of start and end; rows of the source in the order of their times.
 *
 *     for each anchor     aim(anchor);  arrive(row), while needsMore;  write(results)
 *
 * If anchors do not arrive `byStart`, as on a stream, all rows of a window have arrived before
 * `aim`, and `evictBefore` evicts the rows that are no longer needed.
 */
final class AnchoredKernel(
    bounds: AnchorBounds,
    functions: Seq[AggregatePlan],
    anchorOutput: Seq[Attribute],
    sourceOutput: Seq[Attribute],
    memory: Memory,
    byStart: Boolean = true,
    code: Option[GeneratedCode] = None
) {
  private val source = columns(sourceOutput)
  private val anchor = columns(anchorOutput)
  private val starts = anchor(bounds.start)
  private val ends = anchor(bounds.end)
  private val times = source(bounds.time)
  private val between =
    new RowsBetween(times, starts, ends, bounds.withStart, bounds.withEnd)
  times.addReader(between)

  private val numbered = functions.zipWithIndex
  // A frame without a row. It is created first, so that every column is requested before the first
  // row arrives.
  private val empty = new Frame(numbered, new Chain(between), sharesBlocks = false)
  private val (leaping, others) = numbered.partition { case (function, _) =>
    function.isNonMonotonic
  }
  private val freeWindows = new NonMonotonicWindows(between)
  private val free = new Frame(leaping, freeWindows, sharesBlocks = false)
  private val frames = mutable.ArrayBuffer.empty[Frame]
  private val commonBlocks = mutable.LinkedHashMap.empty[AnyRef, SharedBlocks[_]]
  private val chains = if (byStart) new Chains(chain) else new UnorderedChains(chain)
  private val feed = source.feed
  private val feedAnchor = anchor.feed
  private var arrived = 0L
  // The window that was written last.
  private var from = -1L
  private var until = -1L

  private def columns(output: Seq[Attribute]): InputColumns =
    code.fold(new InputColumns(output, memory))(new InputColumns(output, memory, _))

  private def chain(i: Int): Chain = {
    val motion = new Chain(between)
    frames += new Frame(others, motion, sharesBlocks = i >= AnchoredKernel.OwnBlocks)
    motion
  }

  /** Starts a group with the row at `first`. */
  def startGroup(first: Long = 0L): Unit = {
    source.clear(first)
    between.startGroup(first)
    empty.motion.startPartition()
    freeWindows.startPartition()
    chains.startGroup()
    commonBlocks.values.foreach(_.clear())
    arrived = first
    from = -1L
    until = -1L
  }

  /** Returns how many rows of the source have arrived. */
  def rows: Long = arrived

  /** Returns the first kept row. */
  def floor: Long = between.floor

  /** Evicts rows: no later anchor's window begins before the value at position 0 of `least`. */
  def evictBefore(least: Column): Unit = {
    between.evictBefore(least, arrived)
    freeWindows.evictBefore(between.floor)
    chains.evictBefore(between.floor)
  }

  /** Moves to the anchor's window. Returns the anchor's fault, or null. */
  def aim(row: UnsafeRow): AnchorFault = {
    anchor.clear()
    feedAnchor(row)
    if (starts.isNull(0L)) AnchorFault.NullStart
    else if (ends.isNull(0L)) AnchorFault.NullEnd
    else if (isInfinite(ends)) AnchorFault.InfiniteEnd
    else if (starts.compareTo(0L, ends, 0L) > 0) AnchorFault.StartsAfterEnd
    else {
      if (byStart) {
        between.begin(arrived)
        freeWindows.evictBefore(between.from)
        chains.evictBefore(between.from)
      } else between.seek(arrived)
      if (commonBlocks.nonEmpty) commonBlocks.values.foreach(_.evict())
      null
    }
  }

  private def isInfinite(column: Column): Boolean = column match {
    case doubles: DoubleColumn => !java.lang.Double.isFinite(doubles(0L))
    case _ => false
  }

  /** Returns true if rows that have not arrived may be in the anchor's window. */
  def needsMore: Boolean = !between.isPassed(arrived)

  def arrive(row: UnsafeRow): Unit = {
    feed(row)
    arrived += 1
    if (byStart) between.begin(arrived)
  }

  /**
   * Writes the results of the anchor's window. If it has the same rows as the previous window, its
   * results are written already.
   */
  def write(target: InternalRow): Unit = {
    val first = between.from
    val last = between.until(arrived)
    if (first == last) {
      if (from != until || from < 0L) empty.write(target)
      from = 0L
      until = 0L
    } else if (first != from || last != until) {
      if (leaping.nonEmpty) {
        freeWindows.moveTo(first, last)
        free.write(target)
      }
      if (others.nonEmpty) frames(chains.moveTo(first, last)).write(target)
      from = first
      until = last
    }
  }

  private final class Frame(
      written: Seq[(AggregatePlan, Int)],
      override val motion: Motion,
      sharesBlocks: Boolean
  ) extends RowlessFrame {
    override def memory: Memory = AnchoredKernel.this.memory

    override protected def columns: InputColumns = source

    override protected val outputs: Array[Output] =
      written.map { case (function, ordinal) => function.build(this, ordinal) }.toArray

    motion.startPartition()

    def write(target: InternalRow): Unit =
      writeResults(target)

    override def blocks[F <: AnyRef](key: AnyRef)(
        make: Column.Reader => SharedBlocks[F]
    ): Option[SharedBlocks[F]] =
      if (!sharesBlocks) None
      else Some(commonBlocks.getOrElseUpdate(key, make(between)).asInstanceOf[SharedBlocks[F]])
  }
}

private object AnchoredKernel {

  /**
   * This many chains have blocks of their own, which are faster for windows that move row by row.
   */
  val OwnBlocks = 8
}
