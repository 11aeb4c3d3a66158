package org.apache.spark.sql.muntin.execution.split

import scala.util.Random

/**
 * Where the sorted rows of a partition are cut into chunks, none of the cuts between peers, and
 * what is in the halo of each, as far as a sample tells: it decides how even the chunks are, and
 * how often a halo of so many rows has to be looked for further out. Cuts whose halos would be too
 * large are left out.
 *
 * `random`: cuts are at random places, however large their halos.
 */
final class ChunkCuts(sample: SortedSample, places: CutPlaces, random: Option[Random]) {
  import ChunkCuts._

  /** In order. */
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
    // Every second, so that the chunks stay even.
    Iterator
      .iterate(cuts)(_.zipWithIndex.collect { case (c, i) if i % 2 == 1 => c })
      .find(_.map(_.rows).sum <= most)
      .getOrElse(Nil)
  }
}

private object ChunkCuts {

  /** Above that share of all rows it takes fewer chunks. */
  private val MostOfHalos = 0.25
}
