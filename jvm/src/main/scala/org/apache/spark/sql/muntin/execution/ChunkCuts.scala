package org.apache.spark.sql.muntin.execution

import java.util

import scala.reflect.ClassTag
import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, ShufflePartitionSpec}

/**
 * Where partitions of a shuffle are cut into so many chunks, none of the cuts between peers, and what is in
 * the halo of each.
 *
 * A first job draws a sample, which says where the cuts are, and where in RANGE frames their halos end. Halos
 * of so many rows, and positions, are counted by a second one: up to some places that the sample suggests
 * for the end of the halo, of which the nearest is taken that has enough rows before it. Cuts whose halos
 * would be too large are left out. So the sample decides how even the chunks are, and nothing else.
 *
 * `seed`: cuts are at random places, however large their halos.
 */
private final class ChunkCuts(
    wanted: Seq[(CoalescedPartitionSpec, Int)],
    slices: ShuffleSlices,
    read: Seq[ShufflePartitionSpec] => RDD[InternalRow],
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute],
    halo: Halo,
    seed: Option[Long]
) {
  import ChunkCuts._

  private val order = new CutOrder(sortOrder, keys, input)
  private val reach = new HaloReach(halo, order, input)
  private val sliced = wanted.map { case (spec, _) => slices.of(spec) }

  /** The cuts of each, in order. */
  def found: Seq[Seq[HaloCut]] = {
    val sampled = run(sampler(sortOrder, input))
    val proposed = sampled.zip(wanted).zipWithIndex.map { case ((samples, (_, chunks)), i) =>
      propose(new SortedSample(samples, order), chunks, seed.map(s => new Random(s + i)))
    }
    if (!halo.isOfRows) proposed.map(p => fitting(p, p.sample.countBefore(_: Cut)))
    else {
      val places = proposed.map(_.places(order))
      val ofTasks = places.zip(sliced).flatMap { case (at, tasks) => tasks.map(_ => at) }.toArray
      val counted = run(counter(ofTasks, sortOrder, keys, input))
      proposed.zip(places).zip(counted).map { case ((p, at), counts) =>
        val before = counts.foldLeft(new Array[Long](at.length + 1))(add).scanLeft(0L)(_ + _)
        fitting(p, cut => before(util.Arrays.binarySearch(at, cut, order) + 1).toDouble)
      }
    }
  }

  /** What `task` makes of each slice of each partition. */
  private def run[R: ClassTag](task: (TaskContext, Iterator[InternalRow]) => R): Seq[Seq[R]] = {
    val rows = read(sliced.flatten)
    val results = rows.sparkContext.runJob(rows, task).iterator
    sliced.map(_.map(_ => results.next()))
  }

  private def propose(sample: SortedSample, chunks: Int, random: Option[Random]): Proposed = {
    val at = random match {
      case Some(r) => Seq.fill(chunks - 1)(r.nextInt(math.max(1, sample.size)))
      case None => (1 until chunks).map(i => sample.after(sample.count * i / chunks))
    }
    val peers = at.filter(_ < sample.size).map(sample.firstPeer).filter(_ > 0).distinct.sorted
    val cuts = for {
      i <- peers
      row = sample.row(i)
      from <- reach.from(row)
      until <- reach.until(row)
    } yield ProposedCut(row, from, until, rowsFrom(sample, i), rowsUntil(sample, i))
    Proposed(sample, cuts)
  }

  private def rowsFrom(sample: SortedSample, index: Int): Seq[Cut] =
    if (halo.rowsBefore == 0L) Seq(Cut(sample.row(index), Cut.BeforePeers))
    else {
      val least = sample.upTo(sample.countBefore(index) - halo.rowsBefore)
      slacks(index - least).map(s => cutAt(sample, least - s, index, Cut.BeforePartition))
    }

  private def rowsUntil(sample: SortedSample, index: Int): Seq[Cut] =
    if (halo.rowsAfter == 0L) Seq(Cut(sample.row(index), Cut.BeforePeers))
    else {
      val least = sample.after(sample.countBefore(index) + halo.rowsAfter)
      slacks(least - index).map(s => cutAt(sample, least + s, index, Cut.AfterPartition))
    }

  private def cutAt(sample: SortedSample, at: Int, index: Int, beyond: Cut.Side): Cut = {
    val row = sample.row(index)
    val isInside =
      at >= 0 && at < sample.size && order.isSamePartition(sample.row(at), row)
    if (isInside) Cut(sample.row(at), Cut.BeforePeers) else Cut(row, beyond)
  }

  private def fitting(proposed: Proposed, before: Cut => Double): Seq[HaloCut] = {
    def between(from: Cut, until: Cut) = before(until) - before(from)
    val found = for {
      p <- proposed.cuts
      rowsFrom <- p.rowsFrom.find { c =>
        c.side == Cut.BeforePartition || between(c, p.cut) >= halo.rowsBefore
      }
      rowsUntil <- p.rowsUntil.find { c =>
        c.side == Cut.AfterPartition || between(p.cut, c) >= halo.rowsAfter
      }
      from = order.min(rowsFrom, p.from)
      until = order.max(rowsUntil, p.until)
      position = if (halo.isCounted) between(p.start, from).toLong else 0L
    } yield HaloCut(p.cut, from, until, position)
    def halos(cuts: Seq[HaloCut]) = cuts.map(c => between(c.from, c.until)).sum
    val most = if (seed.isDefined) Double.PositiveInfinity else proposed.sample.count * MostOfHalos
    // Every second, so that the chunks stay even.
    Iterator
      .iterate(found)(_.zipWithIndex.collect { case (c, i) if i % 2 == 1 => c })
      .find(cuts => halos(cuts) <= most)
      .getOrElse(Nil)
  }
}

private object ChunkCuts {

  /** Above that share of all rows it takes fewer chunks. */
  private val MostOfHalos = 0.25

  /** A cut before `row`; where its halo ends by values, and where it may end by the number of rows. */
  private final case class ProposedCut(
      row: UnsafeRow,
      from: Cut,
      until: Cut,
      rowsFrom: Seq[Cut],
      rowsUntil: Seq[Cut]
  ) {
    val cut: Cut = Cut(row, Cut.BeforePeers)
    val start: Cut = Cut(row, Cut.BeforePartition)

    def places: Seq[Cut] = Seq(start, cut, from, until) ++ rowsFrom ++ rowsUntil
  }

  private final case class Proposed(sample: SortedSample, cuts: Seq[ProposedCut]) {

    /** All between which rows are to be counted, in order. */
    def places(order: CutOrder): Array[Cut] =
      cuts.flatMap(_.places).sorted(order).foldRight(List.empty[Cut]) { (cut, rest) =>
        if (rest.headOption.exists(order.equiv(_, cut))) rest else cut :: rest
      }.toArray
  }

  /** By how many rows of a sample more is reached than `size`, in case it has not drawn enough of them there. */
  private def slacks(size: Int): Seq[Int] = {
    val deviation = math.sqrt(size.toDouble)
    Seq(0, 4 + (2 * deviation).toInt, 16 + (6 * deviation).toInt)
  }

  private def sampler(
      order: Seq[SortOrder],
      input: Seq[Attribute]
  ): (TaskContext, Iterator[InternalRow]) => RowSample =
    (_, rows) => RowSample.draw(rows, order, input)

  /** How many rows are before the first of the places of the task, and behind each. */
  private def counter(
      ofTasks: Array[Array[Cut]],
      order: Seq[SortOrder],
      keys: Int,
      input: Seq[Attribute]
  ): (TaskContext, Iterator[InternalRow]) => Array[Long] = { (context, rows) =>
    val cuts = new CutOrder(order, keys, input)
    val at = ofTasks(context.partitionId())
    val counts = new Array[Long](at.length + 1)
    while (rows.hasNext) {
      val row = rows.next()
      var low = 0
      var high = at.length
      while (low < high) {
        val middle = (low + high) >>> 1
        if (cuts.isBefore(row, at(middle))) high = middle else low = middle + 1
      }
      counts(low) += 1
    }
    counts
  }

  private def add(left: Array[Long], right: Array[Long]): Array[Long] =
    left.zip(right).map { case (a, b) => a + b }
}
