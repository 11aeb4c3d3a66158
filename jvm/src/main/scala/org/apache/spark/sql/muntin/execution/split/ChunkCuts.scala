package org.apache.spark.sql.muntin.execution.split

import scala.util.Random

/**
 * Cuts the sorted rows of a partition into chunks by a sample. Chunks have about the same number of
 * rows, and no cut is between peers. If the sample is wrong, chunks are uneven, or a chunk must
 * search the end of its halo again; the results are the same. If halos would hold too many rows,
 * there are fewer cuts.
 *
 * `random`: cuts are at random places, with halos of any size.
 */
final class ChunkCuts(sample: SortedSample, places: CutPlaces, random: Option[Random]) {
  import ChunkCuts._

  /** Returns the cuts for `chunks` chunks or fewer, in order. */
  def into(chunks: Int): Seq[HaloCut] = {
    val at = random match {
      case Some(r) => Seq.fill(chunks - 1)(r.nextInt(math.max(1, sample.size)))
      case None => (1 until chunks).map(i => sample.after(sample.count * i / chunks))
    }
    val rows = at.filter(_ < sample.size).flatMap(places.near).filter(_ > 0).distinct.sorted
    fitting(rows.flatMap(places.cut)).map(_.cut)
  }

  private def fitting(cuts: Seq[SizedCut]): Seq[SizedCut] = {
    val most = if (random.isDefined) Double.PositiveInfinity else sample.count * MostOfHalos
    // Removes every second cut, so that the chunks stay even.
    Iterator
      .iterate(cuts)(_.zipWithIndex.collect { case (c, i) if i % 2 == 1 => c })
      .find(_.map(_.rows).sum <= most)
      .getOrElse(Nil)
  }
}

private object ChunkCuts {

  /** If halos would hold a larger share of all rows, there are fewer chunks. */
  private val MostOfHalos = 0.25
}
