package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of one large key that one task reads: its own rows, from `from` until `until`, and
 * around them its halo. Without `from` the chunk begins at the first row, without `until` it ends
 * at the last row.
 *
 *     sorted rows         10  20  30  40  50  60  70  80
 *     chunk                           [40  50  60)         its own rows
 *     halo, ROWS 2        (20  30)                         read as well, without results
 *     PRECEDING
 */
final case class Chunk(from: Option[HaloCut], until: Option[HaloCut])

object Chunk {

  /** The chunk of a task that has all rows. */
  val Whole: Chunk = Chunk(None, None)

  /** Returns the chunks between `cuts`, which are in order. */
  def between(cuts: Seq[HaloCut]): Seq[Chunk] = {
    val ends = cuts.map(Some(_))
    (None +: ends).zip(ends :+ None).map { case (from, until) => Chunk(from, until) }
  }

  /**
   * Returns the chunks with halos that can extend further, if necessary to the ends of the
   * partition: to the cut of the chunk 1, 2, 4, 8 … chunks away.
   */
  def withFurtherHalos(chunks: Seq[Chunk], order: CutOrder): Seq[Chunk] = {
    val cuts = chunks.flatMap(_.from)
    between(cuts.zipWithIndex.map { case (c, i) =>
      def ends(of: Seq[Cut], step: Int, last: Cut)(isFurther: (Cut, Cut) => Boolean): Seq[Cut] = {
        val others = Iterator.iterate(1)(_ * 2).map(i + step * _).takeWhile(cuts.indices.contains)
        val inside = others.map(cuts(_).cut).filter(isFurther(last, _))
        (of ++ inside :+ last).foldLeft(Seq.empty[Cut]) { (nearer, cut) =>
          if (nearer.forall(isFurther(cut, _))) nearer :+ cut else nearer
        }
      }
      c.copy(
        from = ends(c.from, -1, Cut(c.cut.row, Cut.BeforePartition))(order.lt),
        until = ends(c.until, 1, Cut(c.cut.row, Cut.AfterPartition))(order.gt)
      )
    })
  }
}

/**
 * The cut where one chunk ends and the next chunk begins. `from` contains the possible starts of
 * the next chunk's halo, `until` the possible ends of the halo of the chunk before the cut. Each is
 * further from the cut than the previous one, and the last always suffices. A chunk tries them in
 * turn, until the halo has as many rows as the frames reach.
 *
 *     sorted rows            10  20  30  40  50  60  70  80      frames: ROWS 2 PRECEDING
 *     cut                    before 50
 *     from                   before 40, before 20, before the partition
 *     the next chunk reads   from 40 on: one row, too few; then from 20 on: three rows, enough
 */
final case class HaloCut(cut: Cut, from: Seq[Cut], until: Seq[Cut]) {

  /** Returns this cut for rows that have further columns. */
  def among(widen: UnsafeRow => UnsafeRow): HaloCut = {
    def wide(cut: Cut) = cut.copy(row = widen(cut.row))
    HaloCut(wide(cut), from.map(wide), until.map(wide))
  }
}
