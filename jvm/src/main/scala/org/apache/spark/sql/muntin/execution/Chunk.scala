package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.catalyst.InternalRow

/**
 * What one task has of the sorted rows that were to be one task's: its own rows, from `from` until `until`, and
 * around them those that their frames reach, its halo. None: from the first row on, until the last.
 */
final case class Chunk(from: Option[HaloCut], until: Option[HaloCut])

object Chunk {

  /** All rows. */
  val Whole: Chunk = Chunk(None, None)

  /** The chunks that lie between these cuts, which are in order. */
  def between(cuts: Seq[HaloCut]): Seq[Chunk] = {
    val ends = cuts.map(Some(_))
    (None +: ends).zip(ends :+ None).map { case (from, until) => Chunk(from, until) }
  }
}

/**
 * Where a chunk ends and the next begins. The next has the rows from `from` on, the first of which is the row at
 * `position` of its partition; the chunk before has rows until `until`.
 */
final case class HaloCut(cut: Cut, from: Cut, until: Cut, position: Long)

/** Tells which rows are in a chunk, and which of them its task answers. */
final class ChunkRows(chunk: Chunk, order: CutOrder) {
  private val from = chunk.from.orNull
  private val until = chunk.until.orNull

  def contains(row: InternalRow): Boolean =
    (from == null || !order.isBefore(row, from.from)) &&
      (until == null || order.isBefore(row, until.until))

  /** Whether rows may come before the first. */
  def hasEarlier: Boolean = from != null

  /** Whether the row is in the partition of the first row, and before it. */
  def isEarlier(row: InternalRow): Boolean =
    from != null && order.isBefore(row, from.from) && order.isSamePartition(row, from.from.row)

  /** Whether the row lies before the chunk's own. */
  def isBefore(row: InternalRow): Boolean =
    from != null && order.isBefore(row, from.cut)

  /** Whether the row, which is not before them, is one of the chunk's own. */
  def owns(row: InternalRow): Boolean =
    until == null || order.isBefore(row, until.cut)

  /** The position of the first row. */
  def position: Long = if (from == null) 0L else from.position
}
