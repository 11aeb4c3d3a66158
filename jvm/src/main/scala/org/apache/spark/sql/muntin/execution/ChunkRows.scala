package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.catalyst.InternalRow

/**
 * Picks the rows of a chunk and of its halo out of all rows of a partition, which may come in any order, and counts
 * them. Where the halo turns out to have too few, they have to come once more: `takes` then picks those that are
 * missing.
 */
final class ChunkRows(chunk: Chunk, halo: Halo, order: CutOrder) {
  private val begin = chunk.from.map(_.cut).orNull
  private val end = chunk.until.map(_.cut).orNull
  private var froms = chunk.from.fold(Seq.empty[Cut])(_.from)
  private var untils = chunk.until.fold(Seq.empty[Cut])(_.until)
  // Where the halo begins and ends, and where that of the rows that have been taken in did.
  private var from = froms.headOption.orNull
  private var until = untils.headOption.orNull
  private var fromBefore = begin
  private var untilBefore = end

  private val counts = begin != null && (halo.isCounted || halo.isPreceded)
  private var precedingRows = 0L
  private var rowsBefore = 0L
  private var ownRows = 0L
  private var rowsAfter = 0L
  private var isFirstPass = true
  private var isComplete = false

  /** Whether the row is in the chunk or its halo, and has not been before. */
  def takes(row: InternalRow): Boolean =
    if (begin != null && order.isBefore(row, fromBefore)) takesBefore(row)
    else if (end != null && !order.isBefore(row, untilBefore)) takesAfter(row)
    else {
      if (isFirstPass) ownRows += 1L
      isFirstPass
    }

  private def takesBefore(row: InternalRow): Boolean = {
    val isTaken = !order.isBefore(row, from)
    if (isTaken) rowsBefore += 1L
    else if (counts && order.isSamePartition(row, from.row)) precedingRows += 1L
    isTaken
  }

  private def takesAfter(row: InternalRow): Boolean = {
    val isTaken = order.isBefore(row, until)
    if (isTaken) rowsAfter += 1L
    isTaken
  }

  /** All rows have come. Whether they have to come once more. */
  def comeAgain(): Boolean = {
    isFirstPass = false
    fromBefore = from
    untilBefore = until
    if (froms.size > 1 && rowsBefore < halo.rowsBefore) froms = froms.tail
    if (untils.size > 1 && rowsAfter < halo.rowsAfter) untils = untils.tail
    from = froms.headOption.orNull
    until = untils.headOption.orNull
    isComplete = (from eq fromBefore) && (until eq untilBefore)
    if (!isComplete) precedingRows = 0L
    !isComplete
  }

  /** How many rows of the partition of the first row come before it. */
  def position: Long = {
    checkComplete()
    precedingRows
  }

  /** Whether there may be rows before the first. */
  def hasEarlier: Boolean = begin != null

  /** Whether the row is in the partition of the first row, and before it. */
  def isEarlier(row: InternalRow): Boolean = {
    checkComplete()
    order.isBefore(row, from) && order.isSamePartition(row, from.row)
  }

  /** Whether the `index`th of them, in their order, lies before the chunk's own. */
  def isBefore(index: Long): Boolean = {
    checkComplete()
    index < rowsBefore
  }

  /** Whether it is one of the chunk's own. */
  def owns(index: Long): Boolean = !isBefore(index) && index < rowsBefore + ownRows

  private def checkComplete(): Unit =
    if (!isComplete) throw new IllegalStateException("asked before all rows have come")
}
