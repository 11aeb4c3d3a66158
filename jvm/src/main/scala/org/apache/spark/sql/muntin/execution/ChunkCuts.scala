package org.apache.spark.sql.muntin.execution

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._

/**
 * Where the sorted rows of a partition are cut into chunks, none of the cuts between peers, and what is in the
 * halo of each, as far as a sample tells: it decides how even the chunks are, and how often a halo of so
 * many rows has to be looked for further out. Cuts whose halos would be too large are left out.
 *
 * `random`: cuts are at random places, however large their halos, and halos of rows are too small at first.
 */
final class ChunkCuts(
    sample: SortedSample,
    order: CutOrder,
    halo: Halo,
    columns: Seq[Attribute],
    random: Option[Random]
) {
  import ChunkCuts._

  private val reach = new HaloReach(halo, order, columns)

  /** In order. */
  def into(chunks: Int): Seq[HaloCut] = {
    val at = random match {
      case Some(r) => Seq.fill(chunks - 1)(r.nextInt(math.max(1, sample.size)))
      case None => (1 until chunks).map(i => sample.after(sample.count * i / chunks))
    }
    val peers = at.filter(_ < sample.size).map(sample.firstPeer).filter(_ > 0).distinct.sorted
    fitting(
      for {
        i <- peers
        row = sample.row(i)
        from <- reach.from(row)
        until <- reach.until(row)
      } yield HaloCut(
        Cut(row, Cut.BeforePeers),
        distinct(rowsFrom(i).map(order.min(_, from))),
        distinct(rowsUntil(i).map(order.max(_, until)))
      )
    )
  }

  private def rowsFrom(index: Int): Seq[Cut] =
    if (halo.rowsBefore == 0L) Seq(Cut(sample.row(index), Cut.BeforePeers))
    else {
      val least = sample.upTo(sample.countBefore(index) - halo.rowsBefore)
      distances(index - least).map(d => cutAt(index - d, index, Cut.BeforePartition)) :+
        Cut(sample.row(index), Cut.BeforePartition)
    }

  private def rowsUntil(index: Int): Seq[Cut] =
    if (halo.rowsAfter == 0L) Seq(Cut(sample.row(index), Cut.BeforePeers))
    else {
      val least = sample.after(sample.countBefore(index) + halo.rowsAfter)
      distances(least - index).map(d => cutAt(index + d, index, Cut.AfterPartition)) :+
        Cut(sample.row(index), Cut.AfterPartition)
    }

  /** How far away, in rows of the sample, the halo may end, where there should be enough rows within `size`. */
  private def distances(size: Int): Seq[Int] = random match {
    case Some(r) =>
      val near = r.nextInt(size + 1)
      Seq(near, near + r.nextInt(size + 1))
    case None =>
      val slack = 4 + (4 * math.sqrt(size.toDouble)).toInt
      Seq(size + slack, 2 * size + 4 * slack)
  }

  private def cutAt(at: Int, index: Int, beyond: Cut.Side): Cut = {
    val row = sample.row(index)
    val isInside =
      at >= 0 && at < sample.size && order.isSamePartition(sample.row(at), row)
    if (isInside) Cut(sample.row(at), Cut.BeforePeers) else Cut(row, beyond)
  }

  private def distinct(cuts: Seq[Cut]): Seq[Cut] =
    cuts.foldLeft(Seq.empty[Cut]) { (known, cut) =>
      if (known.lastOption.exists(order.equiv(_, cut))) known else known :+ cut
    }

  private def fitting(cuts: Seq[HaloCut]): Seq[HaloCut] = {
    def halos(cuts: Seq[HaloCut]) =
      cuts.map(c => sample.countBefore(c.until.head) - sample.countBefore(c.from.head)).sum
    val most = if (random.isDefined) Double.PositiveInfinity else sample.count * MostOfHalos
    // Every second, so that the chunks stay even.
    Iterator
      .iterate(cuts)(_.zipWithIndex.collect { case (c, i) if i % 2 == 1 => c })
      .find(halos(_) <= most)
      .getOrElse(Nil)
  }
}

private object ChunkCuts {

  /** Above that share of all rows it takes fewer chunks. */
  private val MostOfHalos = 0.25
}
