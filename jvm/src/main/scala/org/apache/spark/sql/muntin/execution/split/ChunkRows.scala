package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate, UnsafeRow}

/**
 * Picks a chunk's own rows and the rows of its halo from all rows of a partition, in any order, and
 * counts the rows before the halo. If the halo turns out to hold too few rows, the chunk reads the
 * partition again, and `takes` picks the missing rows.
 *
 *     sorted rows       10  20  30  40  50  60  70      frames: ROWS 2 PRECEDING, and ranks
 *     chunk             its own rows from 50; the halo from 40, else from 20
 *     first pass        takes 40 50 60 70; 10 20 30 are counted
 *     needsAnotherPass         true: one row before 50 is too few
 *     second pass       takes 20 30; 10 is counted
 *     needsAnotherPass   false: the chunk is complete; position = 1, isBefore(0) … isBefore(2)
 *
 * The first pass searches the rows that the halo must contain (`halo.requiredMatches`). If frames
 * hold all rows beyond the halo, these rows go to the frames (`sendEarlierRows`, `sendLaterRows`).
 *
 * If it `isPartial`, a pass has only the rows between the cuts that `requestedRanges` returns. The
 * rows that the halo must contain are then searched from one possible end of the halo to the next.
 */
final class ChunkRows(chunk: Chunk, halo: Halo, order: CutOrder, isPartial: Boolean = false) {
  private val begin = chunk.from.map(_.cut).orNull
  private val end = chunk.until.map(_.cut).orNull
  private var froms = chunk.from.fold(Seq.empty[Cut])(_.from)
  private var untils = chunk.until.fold(Seq.empty[Cut])(_.until)
  // The start and the end of the halo in this pass, and in the previous pass.
  private var from = froms.headOption.orNull
  private var until = untils.headOption.orNull
  private var fromBefore = begin
  private var untilBefore = end

  // Picks the rows that are needed from the halo before the chunk; null if all are.
  private val needed = (for {
    reach <- halo.group
    cut <- chunk.from
    needed <- reach.neededAt(cut.cut.row, order.input)
  } yield needed).orNull

  // The search for rows, in the first pass.
  private val nearestBefore = nearest(begin, halo.requiredMatches.before, isBefore = true)
  private val nearestAfter = nearest(end, halo.requiredMatches.after, isBefore = false)

  private val conditions: Array[BasePredicate] =
    halo.requiredMatches.counted.map(Predicate.create(_, order.input)).toArray
  private val countedRows = new Array[Long](conditions.length)

  private val earlier = new RowsBeyondHalo
  private val later = new RowsBeyondHalo

  private val counts = begin != null && (halo.isCounted || halo.isPreceded)
  private var unread = 0L
  private var rowsBefore = 0L
  private var ownRows = 0L
  private var rowsAfter = 0L
  private var isFirstPass = true
  private var isComplete = false

  private def nearest(cut: Cut, rows: Seq[RowsWhere], isBefore: Boolean): Array[MatchTracker] =
    if (cut == null) Array.empty else rows.map(new MatchTracker(_, cut, order, isBefore)).toArray

  /**
   * Sends all rows of the chunk's first partition that precede the halo to `taker`, in any order,
   * if frames hold them.
   */
  def sendEarlierRows(taker: UnsafeRow => Unit): Unit =
    if (begin != null && halo.isPreceded)
      earlier.sendTo(taker, isKnown = froms.size == 1 && nearestBefore.isEmpty)

  /**
   * Sends all rows of the chunk's last partition that follow the halo to `taker`, in any order, if
   * frames hold them.
   */
  def sendLaterRows(taker: UnsafeRow => Unit): Unit =
    if (end != null && halo.isFollowed)
      later.sendTo(taker, isKnown = untils.size == 1 && nearestAfter.isEmpty)

  /** Returns true if the rows before the chunk and the rows after it are of the same partition. */
  def isOfOnePartition: Boolean =
    begin != null && end != null && order.isSamePartition(begin.row, end.row)

  /** Returns true if the rows after the chunk are of this row's partition. */
  def endsIn(row: InternalRow): Boolean = end != null && order.isSamePartition(row, end.row)

  /**
   * Returns the ranges of the sorted rows that this pass must read, if it does not read all rows.
   */
  def requestedRanges: Seq[Stretch] =
    if (isFirstPass) Seq(Stretch(Option(from), Option(until)))
    else {
      val before =
        Option.when(counts || (from ne fromBefore))(Stretch(Option(from), Option(fromBefore)))
      val after = Option.when(until ne untilBefore)(Stretch(Option(untilBefore), Option(until)))
      (if (begin == null) None else before).toSeq ++ after
    }

  /** Returns the instructions of this pass for rows, by their position. */
  def pass: ChunkPass = {
    def areTracked(nearest: Array[MatchTracker]) = nearest.nonEmpty && isFirstPass && !isPartial
    ChunkPass(
      relevantFrom = Option(from).filter(_ => !counts && !areTracked(nearestBefore)),
      innerFrom = Option(fromBefore),
      innerUntil = Option(untilBefore),
      relevantUntil = Option(until).filter(_ => !later.hasTaker && !areTracked(nearestAfter)),
      takesInner = isFirstPass
    )
  }

  /** Takes `rows` of the chunk's own rows, in the first pass. */
  def addOwnRows(rows: Long): Unit = ownRows += rows

  /** Returns true if the row is in the chunk or its halo, and no earlier pass took it. */
  def takes(row: InternalRow): Boolean =
    if (begin != null && order.isBefore(row, fromBefore)) takesBefore(row)
    else if (end != null && !order.isBefore(row, untilBefore)) takesAfter(row)
    else {
      if (isFirstPass) ownRows += 1L
      isFirstPass
    }

  private def takesBefore(row: InternalRow): Boolean = {
    val isTaken = !order.isBefore(row, from) && (needed == null || needed.eval(row))
    if (if (isPartial) isTaken else isFirstPass) track(nearestBefore, row)
    if (isTaken) rowsBefore += 1L
    else if (counts && order.isSamePartition(row, from.row)) {
      count(row)
      earlier.pass(row)
    }
    isTaken
  }

  private def takesAfter(row: InternalRow): Boolean = {
    val isTaken = order.isBefore(row, until)
    if (if (isPartial) isTaken else isFirstPass) track(nearestAfter, row)
    if (isTaken) rowsAfter += 1L
    else if (later.hasTaker && order.isSamePartition(row, until.row)) later.pass(row)
    isTaken
  }

  private def track(nearest: Array[MatchTracker], row: InternalRow): Unit = {
    var i = 0
    while (i < nearest.length) {
      nearest(i).add(row)
      i += 1
    }
  }

  private def isIncomplete(nearest: Array[MatchTracker]): Boolean =
    isPartial && nearest.exists(!_.isFull)

  private def count(row: InternalRow): Unit = {
    var i = 0
    while (i < conditions.length) {
      if (conditions(i).eval(row)) countedRows(i) += 1L
      i += 1
    }
  }

  /** Ends a pass, after all rows have been read. Returns true if another pass is necessary. */
  def needsAnotherPass(): Boolean = {
    val hasTracked = isFirstPass && !isPartial
    isFirstPass = false
    fromBefore = from
    untilBefore = until
    if (froms.size > 1 && (rowsBefore < halo.rowsBefore || isIncomplete(nearestBefore)))
      froms = froms.tail
    if (untils.size > 1 && (rowsAfter < halo.rowsAfter || isIncomplete(nearestAfter)))
      untils = untils.tail
    if (hasTracked) {
      nearestBefore.foreach(n => froms = froms.map(order.min(_, n.reach)))
      nearestAfter.foreach(n => untils = untils.map(order.max(_, n.reach)))
    }
    from = froms.headOption.orNull
    until = untils.headOption.orNull
    val isHaloComplete = (from eq fromBefore) && (until eq untilBefore)
    val sendsEarlier = earlier.sendsInNextPass(isHaloComplete)
    val sendsLater = later.sendsInNextPass(isHaloComplete)
    isComplete = isHaloComplete && !sendsEarlier && !sendsLater
    if (!isComplete) {
      earlier.resetCount()
      later.resetCount()
      java.util.Arrays.fill(countedRows, 0L)
    }
    !isComplete
  }

  /**
   * Returns the cut before which the rows of the chunk's first partition are counted; None if they
   * are not counted.
   */
  def countedUntil: Option[Cut] = Option.when(counts)(from)

  /**
   * Counts rows before the halo that were not read: their number, and for each counted condition,
   * the number of rows for which it is true.
   */
  def addUnread(rows: Long, ofConditions: Array[Long]): Unit = {
    unread = rows
    for (i <- ofConditions.indices) countedRows(i) += ofConditions(i)
  }

  /** Returns how many rows of the partition precede the first taken row. */
  def position: Long = {
    checkComplete()
    earlier.count + unread
  }

  /**
   * Returns for how many of the rows before the first taken row `condition` is true; 0 if this is
   * not counted.
   */
  def counted(condition: Expression): Long = {
    checkComplete()
    val at = halo.requiredMatches.counted.indexWhere(_.semanticEquals(condition))
    if (at < 0) 0L else countedRows(at)
  }

  /**
   * Returns true if the row at `index`, among the sorted taken rows, precedes the chunk's own rows.
   */
  def isBefore(index: Long): Boolean = {
    checkComplete()
    index < rowsBefore
  }

  /**
   * Returns the place on the grid from which on windows of the row's group belong to the chunk;
   * Long.MinValue if there is none.
   */
  def gridFrom(row: InternalRow): Long = gridAt(begin, row).getOrElse(Long.MinValue)

  /**
   * Returns the place on the grid before which windows of the row's group belong to the chunk;
   * Long.MaxValue if there is none.
   */
  def gridUntil(row: InternalRow): Long = gridAt(end, row).getOrElse(Long.MaxValue)

  private def gridAt(cut: Cut, row: InternalRow): Option[Long] =
    if (cut == null || !order.isSamePartition(row, cut.row)) None
    else halo.group.flatMap(_.gridAt(cut.row, order.input))

  /**
   * Returns true if the row at `index` follows the chunk's own rows, and determines the end of
   * their last window.
   */
  def endsOthers(index: Long): Boolean = halo.group.exists(_.endsByRows) && isAfterChunk(index)

  /** Returns true if the row at `index` follows the chunk's own rows. */
  def isAfterChunk(index: Long): Boolean = !isBefore(index) && index >= rowsBefore + ownRows

  /** Returns true if the row at `index` is one of the chunk's own. */
  def owns(index: Long): Boolean = !isBefore(index) && !isAfterChunk(index)

  private def checkComplete(): Unit =
    if (!isComplete) throw new IllegalStateException("called before all rows have arrived")
}

/**
 * A range of the sorted rows, from one cut until another; without `from`, from the first row;
 * without `until`, until the last.
 */
final case class Stretch(from: Option[Cut], until: Option[Cut])

/**
 * The instructions of one pass of a chunk for rows, by their position. Rows from `innerFrom` until
 * `innerUntil` are taken if it `takesInner`; else an earlier pass took them. Rows before
 * `relevantFrom`, and rows not before `relevantUntil`, are ignored; without a cut no row is ignored
 * on its side. The chunk decides on all other rows. Without `innerFrom` no such rows precede the
 * inner rows, without `innerUntil` none follow them.
 */
final case class ChunkPass(
    relevantFrom: Option[Cut],
    innerFrom: Option[Cut],
    innerUntil: Option[Cut],
    relevantUntil: Option[Cut],
    takesInner: Boolean
)
