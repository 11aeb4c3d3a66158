package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate, UnsafeRow}

/**
 * Picks the rows of a chunk and of its halo out of all rows of a partition, which may come in any
 * order, and counts them. Where the halo turns out to have too few, they have to come once more:
 * `takes` then picks those that are missing. Rows that the halo has to hold are looked for when all
 * come for the first time. What comes before and behind the halo, where frames hold all of it, goes
 * to who has asked for it. Where it `isPartial`, only those come that are `asked` for, and rows
 * that the halo has to hold are looked for from one of its ends to the next.
 */
final class ChunkRows(chunk: Chunk, halo: Halo, order: CutOrder, isPartial: Boolean = false) {
  private val begin = chunk.from.map(_.cut).orNull
  private val end = chunk.until.map(_.cut).orNull
  private var froms = chunk.from.fold(Seq.empty[Cut])(_.from)
  private var untils = chunk.until.fold(Seq.empty[Cut])(_.until)
  // Where the halo begins and ends, and where that of the rows that have been taken in did.
  private var from = froms.headOption.orNull
  private var until = untils.headOption.orNull
  private var fromBefore = begin
  private var untilBefore = end

  // Which rows of the halo before the chunk are needed, if not all are.
  private val needed = (for {
    reach <- halo.group
    cut <- chunk.from
    needed <- reach.neededAt(cut.cut.row, order.input)
  } yield needed).orNull

  // The rows that are looked for as all come by once.
  private val nearestBefore = nearest(begin, halo.sought.before, isBefore = true)
  private val nearestAfter = nearest(end, halo.sought.after, isBefore = false)

  private val conditions: Array[BasePredicate] =
    halo.sought.counted.map(Predicate.create(_, order.input)).toArray
  private val countedRows = new Array[Long](conditions.length)

  private val earlier = new Beyond
  private val later = new Beyond

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
   * What comes before the first row, of its partition, is to go there, in any order, if frames hold
   * it.
   */
  def giveEarlier(to: UnsafeRow => Unit): Unit =
    if (begin != null && halo.isPreceded)
      earlier.give(to, isKnown = froms.size == 1 && nearestBefore.isEmpty)

  /** The same of what comes behind the last row. */
  def giveLater(to: UnsafeRow => Unit): Unit =
    if (end != null && halo.isFollowed)
      later.give(to, isKnown = untils.size == 1 && nearestAfter.isEmpty)

  /** Whether rows before the first and behind the last are of the same partition. */
  def isOfOnePartition: Boolean =
    begin != null && end != null && order.isSamePartition(begin.row, end.row)

  /** Whether rows behind the last are of the row's partition. */
  def endsIn(row: InternalRow): Boolean = end != null && order.isSamePartition(row, end.row)

  /** Between which cuts of the sorted rows those lie that have to come now, if not all come. */
  def asked: Seq[Stretch] =
    if (isFirstPass) Seq(Stretch(Option(from), Option(until)))
    else {
      val before =
        Option.when(counts || (from ne fromBefore))(Stretch(Option(from), Option(fromBefore)))
      val after = Option.when(until ne untilBefore)(Stretch(Option(untilBefore), Option(until)))
      (if (begin == null) None else before).toSeq ++ after
    }

  /** Whether the row is in the chunk or its halo, and has not been before. */
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
    else if (later.isAsked && order.isSamePartition(row, until.row)) later.pass(row)
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

  /** All rows have come. Whether they have to come once more. */
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
    val givesEarlier = earlier.givesNext(isHaloComplete)
    val givesLater = later.givesNext(isHaloComplete)
    isComplete = isHaloComplete && !givesEarlier && !givesLater
    if (!isComplete) {
      earlier.passAgain()
      later.passAgain()
      java.util.Arrays.fill(countedRows, 0L)
    }
    !isComplete
  }

  /** Up to where rows of the partition of the first row are counted; None where they are not. */
  def countedUntil: Option[Cut] = Option.when(counts)(from)

  /**
   * So many of these have not come when all others had, and so many for which each condition is
   * true that is counted.
   */
  def passUnread(rows: Long, ofConditions: Array[Long]): Unit = {
    unread = rows
    for (i <- ofConditions.indices) countedRows(i) += ofConditions(i)
  }

  /** How many rows of the partition of the first row come before it. */
  def position: Long = {
    checkComplete()
    earlier.count + unread
  }

  /** Of how many of them a condition is true; 0 where nobody has asked for that. */
  def counted(condition: Expression): Long = {
    checkComplete()
    val at = halo.sought.counted.indexWhere(_.semanticEquals(condition))
    if (at < 0) 0L else countedRows(at)
  }

  /** Whether the `index`th of them, in their order, lies before the chunk's own. */
  def isBefore(index: Long): Boolean = {
    checkComplete()
    index < rowsBefore
  }

  /**
   * Where, on the grid of its windows, those of a row's group begin that are the chunk's; below
   * all, where all do.
   */
  def gridFrom(row: InternalRow): Long = gridAt(begin, row).getOrElse(Long.MinValue)

  /** Before which place; above all, where all are. */
  def gridUntil(row: InternalRow): Long = gridAt(end, row).getOrElse(Long.MaxValue)

  private def gridAt(cut: Cut, row: InternalRow): Option[Long] =
    if (cut == null || !order.isSamePartition(row, cut.row)) None
    else halo.group.flatMap(_.gridAt(cut.row, order.input))

  /** Whether it lies behind the chunk's own, and tells where the last window of these ends. */
  def endsOthers(index: Long): Boolean = halo.group.exists(_.endsByRows) && isBehind(index)

  /** Whether it lies behind the chunk's own. */
  def isBehind(index: Long): Boolean = !isBefore(index) && index >= rowsBefore + ownRows

  /** Whether it is one of the chunk's own. */
  def owns(index: Long): Boolean = !isBefore(index) && !isBehind(index)

  private def checkComplete(): Unit =
    if (!isComplete) throw new IllegalStateException("asked before all rows have come")
}

/** The sorted rows from a cut until another; None: from the first on, until the last. */
final case class Stretch(from: Option[Cut], until: Option[Cut])
