package io.muntin.kernel

import java.io.{DataInput, DataOutput}

/**
 * The pieces of time in which the set of valid rows is constant and not empty: each ends where a row
 * starts or ends, or at one of `cuts`, which ascend. With a `horizon` (one value, or null) only pieces that
 * end no later come out. With `every` pieces are also cut at the start of every so many-th row.
 *
 * On a stream a piece is told when its end is reached by the bound below which no row starts any more: one that
 * starts there begins another piece.
 *
 * Cost per row: that of ValidityMotion, and some ten comparisons for each piece. Source: Odysseus'
 * AGGREGATE, whose dumpAtValueCount makes the cuts. Guarded by ValidityMotionSuite.
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
  private val cutTimes = cuts.orNull
  private val lastTime = horizon.orNull
  private val step = every.getOrElse(0).toLong
  private var cut = 0L

  // Of `times`, where the current piece begins. What is before it has been told.
  private var begin = 0L
  private var told = false
  private var finished = false

  // The next time at which something happens: a position of a column; none where nothing does.
  private var column: Column = _
  private var position = 0L

  override def from: Long = begin

  override def to: Long = 1L - begin

  override def startPartition(first: Long): Unit = {
    super.startPartition(first)
    cut = 0L
    told = false
    finished = false
  }

  override def save(out: DataOutput): Unit = {
    super.save(out)
    out.writeLong(if (size == 0L) Long.MinValue else times.asInstanceOf[LongColumn](begin))
  }

  override def resume(in: DataInput): Unit = {
    super.resume(in)
    times.asInstanceOf[LongColumn](begin) = in.readLong()
  }

  override def wake: Long = nextEnd

  // Where rows are counted, from the first one on.
  override def isDone: Boolean = super.isDone && step == 0L

  override def next(arrived: Long, ended: Boolean): Boolean = {
    if (told) {
      begin = to
      told = false
    }
    while (!told && !finished && seek(arrived, ended))
      if (size > 0L && (column == null || column.compareTo(position, times, begin) > 0)) tell()
      else happen(arrived)
    told
  }

  /** Finds the next time; whether it is known. */
  private def seek(arrived: Long, ended: Boolean): Boolean = {
    while (row < arrived && isNowhere && !isStep) row += 1
    if (row < arrived) {
      column = starts
      position = row
    } else column = null
    if (!leaving.isEmpty) offer(until, leaving.first.toLong)
    if (size > 0L && hasCut) offer(cutTimes, cut)
    row < arrived || (size > 0L && (ended || (bound > Long.MinValue && nextEnd <= bound)))
  }

  // At any other row of the group there is a cut anyway.
  private def isStep: Boolean = step > 0L && (row + 1) % step == 0L

  private def offer(other: Column, time: Long): Unit =
    if (column == null || other.compareTo(time, column, position) < 0) {
      column = other
      position = time
    }

  /** The piece from `begin` until the next time comes out, if it is final. */
  private def tell(): Unit =
    if (
      lastTime != null && (column == null || lastTime.isNull(0L) ||
        column.compareTo(position, lastTime, 0L) > 0)
    ) {
      finished = true
    } else {
      if (column == null) {
        times.unset(to)
        finished = true
      } else times.set(to, column, position)
      told = true
    }

  /** All that happens at the next time: a piece begins there. */
  private def happen(arrived: Long): Unit = {
    if (size == 0L) times.set(begin, column, position)
    while (!leaving.isEmpty && until.compareTo(leaving.first.toLong, times, begin) <= 0) leaves()
    while (row < arrived && starts.compareTo(row, times, begin) == 0)
      if (isNowhere) row += 1 else comes()
    passCuts()
  }

  private def hasCut: Boolean = cutTimes != null && cut < cutTimes.size

  // In doubling steps and back: between two groups, or in a gap, there may be many.
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

  private def isAhead(index: Long): Boolean = cutTimes.compareTo(index, times, begin) > 0
}
