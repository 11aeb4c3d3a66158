package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of one large key that one task has: its own rows, from `from` until `until`, and around
 * them its halo. Without `from` the chunk begins at the first row, without `until` it ends with the
 * last.
 *
 *     sorted rows         10  20  30  40  50  60  70  80
 *     chunk                           [40  50  60)         its own rows
 *     halo, ROWS 2        (20  30)                         read as well, without results
 *     PRECEDING
 */
final case class Chunk(from: Option[HaloCut], until: Option[HaloCut])

object Chunk {

  /** A task's chunk where the task has all rows. */
  val Whole: Chunk = Chunk(None, None)

  /** The chunks between `cuts`, which are in order. */
  def between(cuts: Seq[HaloCut]): Seq[Chunk] = {
    val ends = cuts.map(Some(_))
    (None +: ends).zip(ends :+ None).map { case (from, until) => Chunk(from, until) }
  }

  /**
   * The same chunks with halos that can go on further, to the ends of the partition if need be: to
   * the cut of the chunk 1, 2, 4, 8 … chunks away.
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
 * Where one chunk ends and the next chunk begins. `from` are the places where the next chunk's halo
 * may begin, `until` those where the halo of the chunk before the cut may end. Each place is
 * further out than the place before it, and the last place always suffices. A chunk tries them in
 * turn, until there are as many rows between the place and the cut as the frames reach.
 *
 *     sorted rows            10  20  30  40  50  60  70  80      frames: ROWS 2 PRECEDING
 *     cut                    before 50
 *     from                   before 40, before 20, before the partition
 *     the next chunk reads   from 40 on: one row, too few; then from 20 on: three rows, enough
 */
final case class HaloCut(cut: Cut, from: Seq[Cut], until: Seq[Cut]) {

  /** The same cut, of rows that have further columns. */
  def among(widen: UnsafeRow => UnsafeRow): HaloCut = {
    def wide(cut: Cut) = cut.copy(row = widen(cut.row))
    HaloCut(wide(cut), from.map(wide), until.map(wide))
  }
}
