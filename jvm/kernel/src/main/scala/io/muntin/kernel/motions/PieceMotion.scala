package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.{Column, Instants, LongColumn, Slots}
import io.muntin.kernel.memory.Memory

/**
 * The periods in which the set of valid rows is constant and not empty. Each period, called a
 * piece, ends where a row starts or ends, or at one of the ascending `cuts`. With a `horizon` (one
 * value, or null) only pieces that do not end later are emitted. With `every` = n, pieces are also
 * cut at the start of every n-th row.
 *
 * On a stream a piece is ready when the bound has reached its end: a row that starts at the bound
 * begins another piece. On streams, each micro-batch has its own cuts, and a group with valid rows
 * is visited if there are cuts.
 *
 * Cost per row: ValidityMotion's, and about ten comparisons for each piece. Source: Odysseus'
 * AGGREGATE; its dumpAtValueCount defines the cuts. Guarded by ValidityMotionSuite.
 */
final class PieceMotion(
    memory: Memory,
    starts: Column,
    ends: Column,
    slots: Slots,
    cuts: Option[Column],
    horizon: Option[Column],
    condition: String = "start <= end",
    every: Option[Int] = None
) extends ValidityMotion(memory, starts, ends, slots, condition) {
  import PieceMotion._

  private var cutTimes = cuts.orNull
  private val step = every.getOrElse(0).toLong
  private var cut = 0L

  private val instants = Instants(starts, Count)
  private val hasLast = horizon.exists(!_.isNull(0L))

  // True if the piece from Begin until End has been found.
  private var isFound = false
  // True if the events at Begin, where the previous piece has ended, are not processed yet.
  private var isDue = false
  private var finished = false
  // True if pieces are skipped until a row enters.
  private var passing = false

  // The row whose start is in Start, and whether the row ends where it starts.
  private var loadedRow = -1L
  private var isLoadedEmpty = false

  // True if Leave is the time at which the next row leaves.
  private var isLeaveLoaded = false

  // The time of the next event: Start, Leave or Cut; Never if there is not one.
  private var next = Never

  override def from: Long = 0L

  override def to: Long = 1L

  override def startPartition(first: Long): Unit = {
    super.startPartition(first)
    cut = 0L
    isFound = false
    isDue = false
    finished = false
    passing = false
    loadedRow = -1L
    isLeaveLoaded = false
    if (hasLast) instants.load(Last, horizon.get, 0L)
  }

  override def save(out: DataOutput): Unit = {
    super.save(out)
    instants.write(Begin, times, from)
    out.writeLong(if (size == 0L) Long.MinValue else times.asInstanceOf[LongColumn](from))
  }

  override def resume(in: DataInput, isSaved: Boolean): Unit = {
    super.resume(in, isSaved)
    times.asInstanceOf[LongColumn](from) = in.readLong()
    instants.load(Begin, times, from)
  }

  override def passOver(arrived: Long): Unit = {
    super.passOver(arrived)
    passing = true
  }

  override def begin: Long =
    if (size == 0L) Long.MaxValue
    else {
      instants.write(Begin, times, from)
      times.asInstanceOf[LongColumn](from)
    }

  override def wakeUpTime: Long = nextEnd

  override def cutAt(times: LongColumn): Unit = {
    cutTimes = times
    cut = 0L
  }

  // If rows are counted, the group has state from its first row on.
  override def isDone: Boolean = super.isDone && step == 0L

  override def next(arrived: Long, ended: Boolean): Boolean = {
    startNextPiece()
    while (!isFound && !finished && (isDue || seek(arrived, ended)))
      if (!isDue && size > 0L && (next == Never || instants.compare(next, Begin) > 0)) {
        find()
        if (passing) startNextPiece()
      } else processEvents(arrived)
    isFound
  }

  private def startNextPiece(): Unit = if (isFound) {
    instants.copy(Begin, End)
    isFound = false
    isDue = true
  }

  /** Finds the time of the next event. Returns true if it is known. */
  private def seek(arrived: Long, ended: Boolean): Boolean = {
    while (row < arrived && isNextEmpty && !isStep) row += 1
    next = Never
    if (row < arrived) {
      loadStart()
      next = Start
    }
    if (leaves) consider(Leave)
    if (size > 0L && hasCut) {
      instants.load(Cut, cutTimes, cut)
      consider(Cut)
    }
    row < arrived || (size > 0L && (ended || (bound > Long.MinValue && nextByItself <= bound)))
  }

  /** Loads the start of the next row, which has arrived, into Start. */
  private def loadStart(): Unit = if (loadedRow != row) {
    instants.load(Start, starts, row)
    isLoadedEmpty = isEmptyInterval
    loadedRow = row
  }

  private def isNextEmpty: Boolean = {
    loadStart()
    isLoadedEmpty
  }

  /** Returns true if a row will leave, and loads its time into Leave. */
  private def leaves: Boolean = !leaving.isEmpty && {
    if (!isLeaveLoaded) instants.load(Leave, until, leaving.first.toLong)
    isLeaveLoaded = true
    true
  }

  // Returns true if the next row starts a step. It matters only for rows that are never valid:
  // other rows cut pieces anyway.
  private def isStep: Boolean = step > 0L && (row + 1) % step == 0L

  private def consider(instant: Int): Unit =
    if (next == Never || instants.compare(instant, next) < 0) next = instant

  /** Emits the piece from Begin until the next event, if it is final. */
  private def find(): Unit =
    if (horizon.isDefined && (next == Never || !hasLast || instants.compare(next, Last) > 0)) {
      finished = true
    } else {
      instants.write(Begin, times, from)
      if (next == Never) {
        times.unset(to)
        finished = true
      } else {
        instants.copy(End, next)
        instants.write(End, times, to)
      }
      isFound = true
    }

  /** Processes all events at the next time, at which a piece begins. */
  private def processEvents(arrived: Long): Unit = {
    isDue = false
    if (size == 0L) instants.copy(Begin, next)
    while (leaves && instants.compare(Leave, Begin) <= 0) {
      leave()
      isLeaveLoaded = false
    }
    while (row < arrived && isAtBegin)
      if (isLoadedEmpty) row += 1
      else {
        enterNext()
        isLeaveLoaded = false
        passing = false
      }
    passCuts()
  }

  private def isAtBegin: Boolean = {
    loadStart()
    instants.compare(Start, Begin) == 0
  }

  /** On a stream: the time of the next event that needs no further row. */
  private def nextByItself: Long =
    if (hasCut) math.min(nextEnd, cutTimes.asInstanceOf[LongColumn](cut)) else nextEnd

  private def hasCut: Boolean = cutTimes != null && cut < cutTimes.size

  // In doubling steps and back: there may be many cuts between two groups, or in a gap.
  private def passCuts(): Unit = if (hasCut && !isAhead(cut)) {
    var step = 1L
    while (cut + step <= cutTimes.size && !isAhead(cut + step - 1)) {
      cut += step
      step *= 2
    }
    while (step > 0L) {
      if (cut + step <= cutTimes.size && !isAhead(cut + step - 1)) cut += step
      step /= 2
    }
  }

  private def isAhead(index: Long): Boolean = {
    instants.load(Cut, cutTimes, index)
    instants.compare(Cut, Begin) > 0
  }

  override def close(): Unit = {
    super.close()
    instants.close()
  }
}

private object PieceMotion {

  // The current piece; the next row to enter, the next to leave, and the next cut; the horizon.
  private final val Begin = 0
  private final val End = 1
  private final val Start = 2
  private final val Leave = 3
  private final val Cut = 4
  private final val Last = 5
  private final val Count = 6

  private final val Never = -1
}
