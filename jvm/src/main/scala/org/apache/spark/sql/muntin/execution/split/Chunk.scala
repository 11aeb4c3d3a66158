package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

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
 * Where a chunk ends and the next begins. The halo of the next begins at one of `from`, and that of the chunk
 * ends at one of `until`: at the first between which and the cut there are as many rows as the frames reach.
 * Each is further out than those before it, and the last far enough, however many rows there are.
 */
final case class HaloCut(cut: Cut, from: Seq[Cut], until: Seq[Cut]) {

  /** The same among rows that have other columns as well. */
  def among(widen: UnsafeRow => UnsafeRow): HaloCut = {
    def wide(cut: Cut) = cut.copy(row = widen(cut.row))
    HaloCut(wide(cut), from.map(wide), until.map(wide))
  }
}
