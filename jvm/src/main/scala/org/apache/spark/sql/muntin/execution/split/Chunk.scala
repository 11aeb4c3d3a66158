package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * What one task has of the sorted rows that were to be one task's: its own rows, from `from` until
 * `until`, and around them those that their frames reach, its halo. None: from the first row on,
 * until the last.
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

  /**
   * The same chunks, whose halos go on to cuts further out, up to the ends of their partition: each
   * step is as long as all before it.
   */
  def goingOn(chunks: Seq[Chunk], order: CutOrder): Seq[Chunk] = {
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
 * Where a chunk ends and the next begins. The halo of the next begins at one of `from`, and that of
 * the chunk ends at one of `until`: at the first between which and the cut there are as many rows
 * as the frames reach. Each is further out than those before it, and the last far enough, however
 * many rows there are.
 */
final case class HaloCut(cut: Cut, from: Seq[Cut], until: Seq[Cut]) {

  /** The same among rows that have other columns as well. */
  def among(widen: UnsafeRow => UnsafeRow): HaloCut = {
    def wide(cut: Cut) = cut.copy(row = widen(cut.row))
    HaloCut(wide(cut), from.map(wide), until.map(wide))
  }
}
