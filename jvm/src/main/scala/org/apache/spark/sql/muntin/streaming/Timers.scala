package org.apache.spark.sql.muntin.streaming

import java.util.Arrays

import scala.collection.mutable

import io.muntin.kernel.sorting.RadixSort

/**
 * The next visit of a group.
 *
 * @param batch
 *   the micro-batch that has set it: a group's last timer is that whose micro-batch is in the
 *   group's head
 * @param isOpen
 *   whether each micro-batch with marks also visits the group
 * @param openedAt
 *   the group is also visited when windows that opened at this clock must be closed
 */
private[streaming] final case class Timer(
    time: Long,
    group: Array[Byte],
    batch: Long,
    isOpen: Boolean,
    openedAt: Option[Long]
)

/** Stores pages of timers, in the order of the least time in each. */
private[streaming] trait TimerPages {
  def putTimers(least: Long, number: Long, bytes: Array[Byte], size: Int): Unit

  def removeTimers(least: Long, number: Long): Unit

  /**
   * Passes each page to `next`, its least time, its number and its bytes, until `next` returns
   * false.
   */
  def visitTimers(next: (Long, Long, Array[Byte]) => Boolean): Unit
}

/**
 * Holds the timers of a partition's groups in one micro-batch. At the end of the micro-batch, new
 * timers are sorted by time and written in pages. A page is read when its least time is due. Its
 * timers that are not due are written again, with the timers of this micro-batch. So if most groups
 * set a timer in each micro-batch, a few pages are written, and not two records for each group.
 *
 * A group that sets another timer keeps the old one in its page until the old one is due. Then the
 * micro-batch in the group's head shows that the timer is outdated, and it is ignored.
 *
 * {{{
 *   micro-batch 7   a 10:05, b 10:09, c 10:31   the page of 10:05 has a, b and c
 *   micro-batch 8   c 10:12; bound 10:06        due: a. The page of 10:09 has b, c of 8, c of 7
 *   micro-batch 9   bound 10:40                 due: b, and c of 8. The head of c has 8, not 7
 * }}}
 *
 * Cost per timer: one or two writes, since rewritten pages contain few times. Guarded by
 * TimersSuite.
 */
private[streaming] final class Timers(pages: TimerPages, batch: Long) {
  import Timers._

  // The timers to write, in sequence; the due time and the start of each.
  private val entries = new StateOutput
  private var times = new Array[Long](64)
  private var starts = new Array[Int](64)
  private var count = 0

  /** Sets the timer of a group. Returns the micro-batch to write into the group's head. */
  def set(time: Long, group: Array[Byte], isOpen: Boolean, openedAt: Option[Long]): Long = {
    begin(time)
    entries.writeLong(time)
    entries.writeLong(batch)
    entries.writeByte((if (isOpen) Open else 0) | (if (openedAt.isDefined) Clock else 0))
    openedAt.foreach(entries.writeLong)
    entries.writeInt(group.length)
    entries.write(group, 0, group.length)
    batch
  }

  /** Adds a timer that an earlier micro-batch has set. */
  def restore(written: Array[Byte]): Unit = {
    begin(read(new StateInput(written)).time)
    entries.write(written, 0, written.length)
  }

  private def begin(time: Long): Unit = {
    if (count == times.length) {
      times = Arrays.copyOf(times, 2 * count)
      starts = Arrays.copyOf(starts, 2 * count)
    }
    times(count) = time
    starts(count) = entries.length
    count += 1
  }

  /**
   * Removes and returns the timers that are due by `bound`, in the order of time. With `isMarked`
   * it also returns the timers of open groups; with `openedBy`, also the timers of groups with
   * windows that opened at this clock or before.
   *
   * @param isLast
   *   whether the group of a timer has no later timer; evaluated for each due timer at its turn
   */
  def dueTimers(bound: Long, isMarked: Boolean, openedBy: Option[Long])(
      isLast: Timer => Boolean
  ): Seq[Timer] = {
    val isAll = isMarked || openedBy.isDefined
    val found = mutable.ArrayBuffer.empty[Timer]
    def isAsked(timer: Timer): Boolean = (isMarked && timer.isOpen) ||
      openedBy.exists(clock => timer.openedAt.exists(_ <= clock))

    /** Adds the timers that must be written. Returns true if these are all. */
    def sift(bytes: Array[Byte]): Boolean = {
      val in = new StateInput(bytes)
      var areAll = true
      while (in.available() > 0) {
        val from = in.at
        val timer = read(in)
        val isDue = timer.time <= bound
        val stays = !isDue && (!isAsked(timer) || isLast(timer))
        if (isDue || (stays && isAsked(timer))) found += timer
        if (stays) {
          begin(timer.time)
          entries.write(bytes, from, in.at - from)
        } else areAll = false
      }
      areAll
    }

    // The bound does not make a timer of this micro-batch due.
    if (isAll) {
      val own = entries.copy
      entries.clear()
      count = 0
      sift(own): Unit
    }
    val toSift = mutable.ArrayBuffer.empty[(Long, Long, Array[Byte])]
    pages.visitTimers { (least, number, bytes) =>
      val isRead = isAll || least <= bound
      if (isRead) toSift += ((least, number, bytes))
      isRead
    }
    toSift.foreach { case (least, number, bytes) =>
      val (length, before) = (entries.length, count)
      if (sift(bytes)) {
        entries.truncate(length)
        count = before
      } else pages.removeTimers(least, number)
    }
    found.sortBy(_.time).toSeq
  }

  /** Writes the new timers, and the timers read from removed pages. Call it once. */
  def write(): Unit = {
    val order = Array.range(0, count)
    val keys = Array.tabulate(count)(i => times(i) ^ Long.MinValue)
    new RadixSort(count).sort(keys, order, 0, count)
    val page = new StateOutput
    var number = batch << PageBits
    var i = 0
    while (i < count) {
      val least = times(order(i))
      page.clear()
      while (i < count && page.length < PageBytes) {
        val entry = order(i)
        val until = if (entry + 1 < count) starts(entry + 1) else entries.length
        page.write(entries.bytes, starts(entry), until - starts(entry))
        i += 1
      }
      pages.putTimers(least, number, page.bytes, page.length)
      number += 1L
    }
  }

  /**
   * Returns the earliest clock at which an open window opened, from the pages; Long.MaxValue if no
   * window is open.
   */
  def oldestClock(isLast: Timer => Boolean): Long = {
    var least = Long.MaxValue
    pages.visitTimers { (_, _, bytes) =>
      val in = new StateInput(bytes)
      while (in.available() > 0) {
        val timer = read(in)
        timer.openedAt.foreach(at => if (at < least && isLast(timer)) least = at)
      }
      true
    }
    least
  }
}

private[streaming] object Timers {

  /** The micro-batch of a group without a timer. */
  val NoBatch: Long = -1L

  /** A page is full when its timers take this many bytes. */
  val PageBytes: Int = 8 << 10

  /** The bits below a micro-batch's number, which limit the number of its pages. */
  private val PageBits = 24

  private val Open = 1
  private val Clock = 2

  /** Returns the timers of a page, each with its bytes. */
  def of(page: Array[Byte]): Iterator[(Timer, Array[Byte])] = {
    val in = new StateInput(page)
    Iterator.continually(in.at).takeWhile(_ => in.available() > 0).map { from =>
      (read(in), Arrays.copyOfRange(page, from, in.at))
    }
  }

  private def read(in: StateInput): Timer = {
    val time = in.readLong()
    val batch = in.readLong()
    val flags = in.readByte()
    val openedAt = Option.when((flags & Clock) != 0)(in.readLong())
    val group = new Array[Byte](in.readInt())
    in.readFully(group)
    Timer(time, group, batch, (flags & Open) != 0, openedAt)
  }
}
