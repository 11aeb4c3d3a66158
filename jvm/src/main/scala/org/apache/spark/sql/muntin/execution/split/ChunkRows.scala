package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate, UnsafeRow}

/**
 * Picks a chunk's own rows and the rows of its halo out of all rows of a partition, which come in
 * any order, and counts the rows before the halo. The rows come again where the halo turns out to
 * hold too few rows; `takes` then picks the rows that are missing.
 *
 *     sorted rows       10  20  30  40  50  60  70      frames: ROWS 2 PRECEDING, and ranks
 *     chunk             its own rows from 50; the halo from 40, else from 20
 *     first pass        takes 40 50 60 70; 10 20 30 are counted
 *     comeAgain         true: one row before 50 is too few
 *     second pass       takes 20 30; 10 is counted
 *     comeAgain         false: the chunk is complete; position = 1, isBefore(0) … isBefore(2)
 *
 * Rows that the halo has to hold (`halo.sought`) are looked for in the first pass. Rows beyond the
 * halo, where frames hold them all, go to the frames (`giveEarlier`, `giveLater`).
 *
 * If it `isPartial`, not all rows come, but those between the cuts that `asked` names; rows that
 * the halo has to hold are then looked for from one possible end of the halo to the next.
 */
final class ChunkRows(chunk: Chunk, halo: Halo, order: CutOrder, isPartial: Boolean = false) {
  private val begin = chunk.from.map(_.cut).orNull
  private val end = chunk.until.map(_.cut).orNull
  private var froms = chunk.from.fold(Seq.empty[Cut])(_.from)
  private var untils = chunk.until.fold(Seq.empty[Cut])(_.until)
  // Where the halo begins and ends in this pass, and where it began and ended in the pass before.
  private var from = froms.headOption.orNull
  private var until = untils.headOption.orNull
  private var fromBefore = begin
  private var untilBefore = end

  // Picks the rows of the halo before the chunk that are needed; null where all are.
  private val needed = (for {
    reach <- halo.group
    cut <- chunk.from
    needed <- reach.neededAt(cut.cut.row, order.input)
  } yield needed).orNull

  // The rows that are looked for in the first pass.
  private val nearestBefore = nearest(begin, halo.sought.before, isBefore = true)
  private val nearestAfter = nearest(end, halo.sought.after, isBefore = false)

  private val conditions: Array[BasePredicate] =
    halo.sought.counted.map(Predicate.create(_, order.input)).toArray
  private val countedRows = new Array[Long](conditions.length)

  private val earlier = new PassingRows
  private val later = new PassingRows

  private val counts = begin != null && (halo.isCounted || halo.isPreceded)
  private var unread = 0L
  private var rowsBefore = 0L
  private var ownRows = 0L
  private var rowsAfter = 0L
  private var isFirstPass = true
  private var isComplete = false

  private def nearest(cut: Cut, rows: Seq[RowsWhere], isBefore: Boolean): Array[NearestRows] =
    if (cut == null) Array.empty else rows.map(new NearestRows(_, cut, order, isBefore)).toArray

  /**
   * All rows of the chunk's first partition that lie before the halo go to `taker`, in any order,
   * if frames hold them.
   */
  def giveEarlier(taker: UnsafeRow => Unit): Unit =
    if (begin != null && halo.isPreceded)
      earlier.handTo(taker, isKnown = froms.size == 1 && nearestBefore.isEmpty)

  /**
   * All rows of the chunk's last partition that lie behind the halo go to `taker`, in any order, if
   * frames hold them.
   */
  def giveLater(taker: UnsafeRow => Unit): Unit =
    if (end != null && halo.isFollowed)
      later.handTo(taker, isKnown = untils.size == 1 && nearestAfter.isEmpty)

  /** Whether the rows before the chunk and the rows behind it are of the same partition. */
  def isOfOnePartition: Boolean =
    begin != null && end != null && order.isSamePartition(begin.row, end.row)

  /** Whether the rows behind the chunk are of this row's partition. */
  def endsIn(row: InternalRow): Boolean = end != null && order.isSamePartition(row, end.row)

  /**
   * The stretches of the sorted rows whose rows have to come in this pass, if not all rows come.
   */
  def asked: Seq[Stretch] =
    if (isFirstPass) Seq(Stretch(Option(from), Option(until)))
    else {
      val before =
        Option.when(counts || (from ne fromBefore))(Stretch(Option(from), Option(fromBefore)))
      val after = Option.when(until ne untilBefore)(Stretch(Option(untilBefore), Option(until)))
      (if (begin == null) None else before).toSeq ++ after
    }

  /** What becomes of rows in this pass, by where they lie. */
  def pass: ChunkPass = {
    def areSeen(nearest: Array[NearestRows]) = nearest.nonEmpty && isFirstPass && !isPartial
    ChunkPass(
      heededFrom = Option(from).filter(_ => !counts && !areSeen(nearestBefore)),
      innerFrom = Option(fromBefore),
      innerUntil = Option(untilBefore),
      heededUntil = Option(until).filter(_ => !later.hasTaker && !areSeen(nearestAfter)),
      takesInner = isFirstPass
    )
  }

  /** Takes so many of the chunk's own rows, in the first pass. */
  def takeOwn(rows: Long): Unit = ownRows += rows

  /** Whether the row is in the chunk or its halo, and was not taken in an earlier pass. */
  def takes(row: InternalRow): Boolean =
    if (begin != null && order.isBefore(row, fromBefore)) takesBefore(row)
    else if (end != null && !order.isBefore(row, untilBefore)) takesAfter(row)
    else {
      if (isFirstPass) ownRows += 1L
      isFirstPass
    }

  private def takesBefore(row: InternalRow): Boolean = {
    val isTaken = !order.isBefore(row, from) && (needed == null || needed.eval(row))
    if (if (isPartial) isTaken else isFirstPass) see(nearestBefore, row)
    if (isTaken) rowsBefore += 1L
    else if (counts && order.isSamePartition(row, from.row)) {
      count(row)
      earlier.pass(row)
    }
    isTaken
  }

  private def takesAfter(row: InternalRow): Boolean = {
    val isTaken = order.isBefore(row, until)
    if (if (isPartial) isTaken else isFirstPass) see(nearestAfter, row)
    if (isTaken) rowsAfter += 1L
    else if (later.hasTaker && order.isSamePartition(row, until.row)) later.pass(row)
    isTaken
  }

  private def see(nearest: Array[NearestRows], row: InternalRow): Unit = {
    var i = 0
    while (i < nearest.length) {
      nearest(i).see(row)
      i += 1
    }
  }

  private def lacks(nearest: Array[NearestRows]): Boolean = isPartial && nearest.exists(!_.isFull)

  private def count(row: InternalRow): Unit = {
    var i = 0
    while (i < conditions.length) {
      if (conditions(i).eval(row)) countedRows(i) += 1L
      i += 1
    }
  }

  /** To be called when all rows have come: whether they have to come once more. */
  def comeAgain(): Boolean = {
    val hasSeen = isFirstPass && !isPartial
    isFirstPass = false
    fromBefore = from
    untilBefore = until
    if (froms.size > 1 && (rowsBefore < halo.rowsBefore || lacks(nearestBefore)))
      froms = froms.tail
    if (untils.size > 1 && (rowsAfter < halo.rowsAfter || lacks(nearestAfter)))
      untils = untils.tail
    if (hasSeen) {
      nearestBefore.foreach(n => froms = froms.map(order.min(_, n.reach)))
      nearestAfter.foreach(n => untils = untils.map(order.max(_, n.reach)))
    }
    from = froms.headOption.orNull
    until = untils.headOption.orNull
    val isHaloComplete = (from eq fromBefore) && (until eq untilBefore)
    val handsEarlier = earlier.handsNext(isHaloComplete)
    val handsLater = later.handsNext(isHaloComplete)
    isComplete = isHaloComplete && !handsEarlier && !handsLater
    if (!isComplete) {
      earlier.passAgain()
      later.passAgain()
      java.util.Arrays.fill(countedRows, 0L)
    }
    !isComplete
  }

  /**
   * The cut before which the rows of the chunk's first partition are counted; None where they are
   * not.
   */
  def countedUntil: Option[Cut] = Option.when(counts)(from)

  /**
   * Counts rows before the halo that did not come: their number, and for how many of them each of
   * the counted conditions is true.
   */
  def passUnread(rows: Long, ofConditions: Array[Long]): Unit = {
    unread = rows
    for (i <- ofConditions.indices) countedRows(i) += ofConditions(i)
  }

  /** How many rows of the partition lie before the first row that was taken. */
  def position: Long = {
    checkComplete()
    earlier.count + unread
  }

  /**
   * For how many of the rows before the first row that was taken `condition` is true; 0 where this
   * is not counted.
   */
  def counted(condition: Expression): Long = {
    checkComplete()
    val at = halo.sought.counted.indexWhere(_.semanticEquals(condition))
    if (at < 0) 0L else countedRows(at)
  }

  /**
   * Whether the row at `index`, of the rows that were taken, sorted, lies before the chunk's own.
   */
  def isBefore(index: Long): Boolean = {
    checkComplete()
    index < rowsBefore
  }

  /**
   * The place on the grid from which on windows of the row's group are the chunk's; Long.MinValue
   * where there is none.
   */
  def gridFrom(row: InternalRow): Long = gridAt(begin, row).getOrElse(Long.MinValue)

  /**
   * The place on the grid before which windows of the row's group are the chunk's; Long.MaxValue
   * where there is none.
   */
  def gridUntil(row: InternalRow): Long = gridAt(end, row).getOrElse(Long.MaxValue)

  private def gridAt(cut: Cut, row: InternalRow): Option[Long] =
    if (cut == null || !order.isSamePartition(row, cut.row)) None
    else halo.group.flatMap(_.gridAt(cut.row, order.input))

  /**
   * Whether the row at `index` lies behind the chunk's own, and says where the last window of these
   * rows ends.
   */
  def endsOthers(index: Long): Boolean = halo.group.exists(_.endsByRows) && isBehind(index)

  /** Whether the row at `index` lies behind the chunk's own. */
  def isBehind(index: Long): Boolean = !isBefore(index) && index >= rowsBefore + ownRows

  /** Whether the row at `index` is one of the chunk's own. */
  def owns(index: Long): Boolean = !isBefore(index) && !isBehind(index)

  private def checkComplete(): Unit =
    if (!isComplete) throw new IllegalStateException("asked before all rows have come")
}

/**
 * The sorted rows from one cut until another; without `from`, from the first row on; without
 * `until`, until the last.
 */
final case class Stretch(from: Option[Cut], until: Option[Cut])

/**
 * What becomes of rows in one pass of a chunk, by where they lie. Rows from `innerFrom` until
 * `innerUntil` are taken if it `takesInner`, and else were taken before. Rows before `heededFrom`,
 * and rows that are not before `heededUntil`, are left alone: without it there are none. About all
 * others the chunk is asked. Without `innerFrom` there are none before the inner rows, without
 * `innerUntil` none behind them.
 */
final case class ChunkPass(
    heededFrom: Option[Cut],
    innerFrom: Option[Cut],
    innerUntil: Option[Cut],
    heededUntil: Option[Cut],
    takesInner: Boolean
)
