package io.muntin.kernel.extremes

import io.muntin.kernel.AcrossFrames
import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.Memory

/**
 * SlidingExtreme's results for many frames that end at the same row and begin anywhere.
 *
 *     values      3  7  2  6  4  1  5 |
 *     queue          7     6        5     the rows without a better later row
 *     frames              [. . . . .]     begins at the fourth row: 6
 *                      [. . . . . . ]     begins at the third: 6
 *
 * A new row removes worse rows from the end of the queue, and is appended. The extreme of a frame
 * is the first row of the queue that is in the frame. It moves forward with the frame's start.
 *
 * Cost per row: two comparisons for all frames together, and two accesses for each frame; 8 bytes
 * for each position in the queue. The queue has a few rows if values are in random order, and all
 * rows if each row is worse than the row before. Source: the monotone queue of SlickDeque (Shein,
 * Chrysanthis and Labrinidis, EDBT 2018). Guarded by SharedExtremesSuite.
 */
final class SharedExtremes(memory: Memory, order: Column, sign: Int, latest: Boolean)
    extends AcrossFrames {
  import SharedExtremes._

  private var slots = new Array[Long](InitialCapacity)
  private var mask = InitialCapacity - 1
  private var first = 0L
  private var next = 0L
  // The rows before it have been added.
  private var taken = 0L
  private var views: Array[View] = Array.empty

  // A later row replaces an earlier row if sign * compare is at least this.
  private val toReplace = if (latest) 0 else 1

  memory.acquire(8L * InitialCapacity)

  /** Returns the extreme of another frame, as a pick from `values`. */
  def view(values: Column): Pick = {
    val made = new View(values)
    views = views :+ made
    made
  }

  override def startPartition(at: Long): Unit = {
    first = 0L
    next = 0L
    taken = at
    views.foreach(_.startPartition(at))
  }

  private def takeIn(until: Long): Unit = {
    // Values before the oldest have been forgotten; no frame needs them.
    val oldest = order.oldest
    while (taken < until) {
      val p = taken
      if (!order.isNull(p)) {
        var last = next - 1L
        while (last >= first && isWorse(slots(last.toInt & mask), p, oldest)) last -= 1L
        next = last + 1L
        if (next - first > mask) makeRoom()
        slots(next.toInt & mask) = p
        next += 1L
      }
      taken = p + 1L
    }
  }

  private def isWorse(earlier: Long, later: Long, oldest: Long): Boolean =
    earlier < oldest || sign * order.compare(later, earlier) >= toReplace

  private def makeRoom(): Unit = {
    var lowest = Long.MaxValue
    var i = 0
    while (i < views.length) {
      lowest = math.min(lowest, views(i).start)
      i += 1
    }
    while (first < next && slots(first.toInt & mask) < lowest) first += 1L
    if (next - first > (mask + 1) / 4 * 3) {
      val capacity = 2 * (mask + 1)
      memory.acquire(8L * capacity)
      val larger = new Array[Long](capacity)
      new Column.RingCopy(first, next, mask, capacity - 1)(slots, larger)
      memory.release(8L * slots.length)
      slots = larger
      mask = capacity - 1
    }
  }

  override def close(): Unit = {
    memory.release(8L * slots.length)
    slots = new Array[Long](0)
  }

  private final class View(override val values: Column) extends Pick {
    private var lo = 0L
    private var isEmpty = true
    // The index in the queue of the last result.
    private var at = 0L

    def start: Long = lo

    def startPartition(at: Long): Unit = {
      lo = at
      isEmpty = true
    }

    override def clear(): Unit = isEmpty = true

    override def enter(from: Long, until: Long): Unit = {
      if (isEmpty) lo = from
      isEmpty = false
      takeIn(until)
    }

    override def leave(from: Long, until: Long): Unit = lo = until

    override def position: Long =
      if (isEmpty) Pick.None
      else {
        var i = math.max(math.min(at, next - 1L), first)
        while (i > first && slots((i - 1L).toInt & mask) >= lo) i -= 1L
        while (i < next && slots(i.toInt & mask) < lo) i += 1L
        at = i
        if (i < next) slots(i.toInt & mask) else Pick.None
      }
  }
}

private object SharedExtremes {
  private val InitialCapacity = 64
}
