package org.apache.spark.sql.muntin.execution.split

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils

/**
 * Finds where the sorted rows of a partition may be cut, and which rows chunks then read besides
 * their own.
 */
abstract class CutPlaces(sample: SortedSample) {

  /**
   * Returns the index of a row of the sample, at `index` or near it, that is the first of its peers
   * and before which a cut is possible.
   */
  def near(index: Int): Option[Int] = Some(sample.firstPeer(index))

  /** Returns the cut before the row of the sample at `index`; None if its halo is unknown. */
  def cut(index: Int): Option[SizedCut]
}

/** A cut, and roughly how many rows the chunks on both of its sides read twice. */
final case class SizedCut(cut: HaloCut, rows: Double)

/**
 * Cuts the rows of frames. The halos end where the sample suggests, plus some margin; with a
 * `random`, at random places, and the first places are too near.
 */
final class FramePlaces(
    sample: SortedSample,
    order: CutOrder,
    halo: Halo,
    random: Option[Random],
    holds: (Expression, UnsafeRow) => Boolean
) extends CutPlaces(sample) {
  private val reach = new HaloReach(halo, order)
  private val matchDistances = new MatchDistanceEstimate(sample, order, holds)

  override def cut(index: Int): Option[SizedCut] = {
    val row = sample.row(index)
    for {
      from <- reach.from(row)
      until <- reach.until(row)
    } yield {
      val first = (from +: matchesFrom(index)).min(order)
      val last = (until +: matchesUntil(index)).max(order)
      val cut = HaloCut(
        Cut(row, Cut.BeforePeers),
        distinct(rowsFrom(index).map(order.min(_, first))),
        distinct(rowsUntil(index).map(order.max(_, last)))
      )
      SizedCut(cut, sample.countBefore(cut.until.head) - sample.countBefore(cut.from.head))
    }
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

  private def matchesFrom(index: Int): Seq[Cut] = halo.requiredMatches.before.map { rows =>
    val at = sample.upTo(sample.countBefore(index) - matchDistances.before(index, rows))
    cutAt(index - guessed(index - at), index, Cut.BeforePartition)
  }

  private def matchesUntil(index: Int): Seq[Cut] = halo.requiredMatches.after.map { rows =>
    val at = sample.after(sample.countBefore(index) + matchDistances.after(index, rows))
    cutAt(index + guessed(at - index), index, Cut.AfterPartition)
  }

  private def guessed(size: Int): Int = random.fold(size)(_.nextInt(size + 1))

  /**
   * Returns the distances of possible halo ends, in rows of the sample, nearest first. There should
   * be enough rows within `size`.
   */
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
}

/**
 * Cuts rows that are valid for some time. The chunk after a cut reads the rows before the cut that
 * are valid at the cut. The chunk before the cut also reads the rows that start at the cut, since
 * its last piece ends there.
 */
final class ValidPlaces(sample: SortedSample, order: CutOrder, valid: ValidRows)
    extends CutPlaces(sample) {
  private val begins = valid.begin(order.input)

  override def near(index: Int): Option[Int] =
    (index until sample.size).find(i => begins.eval(sample.row(i))).flatMap(super.near)

  override def cut(index: Int): Option[SizedCut] = {
    val row = sample.row(index)
    val isValid = valid.validAt(row, order.input)
    val rows = (index - 1 to 0 by -1).iterator
      .takeWhile(i => order.isSamePartition(sample.row(i), row))
      .filter(i => isValid.eval(sample.row(i)))
      .map(sample.weight)
      .sum
    val own = Cut(row, Cut.BeforePeers)
    val until = if (valid.inPieces) Cut(row, Cut.AfterPeers) else own
    Some(SizedCut(HaloCut(own, Seq(Cut(row, Cut.BeforePartition)), Seq(until)), rows))
  }
}

/**
 * Cuts between the anchors of window_by, in the order of `start`. The number of source rows that
 * are read twice is measured in anchors: the anchors after the cut that start before the last `end`
 * of the anchors before the cut.
 */
final class AnchorPlaces(sample: SortedSample, order: CutOrder, start: Expression, end: Expression)
    extends CutPlaces(sample) {
  private val starts = BindReferences.bindReference(start, order.input)
  private val ends = BindReferences.bindReference(end, order.input)
  private val times = TypeUtils.getInterpretedOrdering(start.dataType)

  override def cut(index: Int): Option[SizedCut] = {
    val row = sample.row(index)
    def isTogether(i: Int) = order.isSamePartition(sample.row(i), row)
    def isBy(i: Int, last: Any) = {
      val start = starts.eval(sample.row(i))
      start == null || times.lteq(start, last)
    }
    val before = (index - 1 to 0 by -1).iterator
      .takeWhile(isTogether)
      .map(i => ends.eval(sample.row(i)))
      .filter(_ != null)
    val rows = before.reduceOption(times.max(_, _)).fold(0.0) { last =>
      (index until sample.size).iterator
        .takeWhile(i => isTogether(i) && isBy(i, last))
        .map(sample.weight)
        .sum
    }
    val own = Cut(row, Cut.BeforePeers)
    Some(SizedCut(HaloCut(own, Seq(own), Seq(own)), rows))
  }
}

/**
 * Cuts windows on a grid: at the last place of the grid before a row of the sample, if the row's
 * group has rows before the place.
 */
final class GridPlaces(sample: SortedSample, order: CutOrder, grid: Grid)
    extends CutPlaces(sample) {
  private val ordinal = order.input.indexWhere(_.exprId == grid.column.exprId)

  override def near(index: Int): Option[Int] =
    for {
      cuts <- cutsBefore(sample.row(index))
      first = sample.firstBehind(cuts.cut)
      if first > 0 && first < sample.size
      if order.isSamePartition(sample.row(first - 1), sample.row(first))
    } yield first

  override def cut(index: Int): Option[SizedCut] = cutsBefore(sample.row(index)).map { cut =>
    SizedCut(cut, sample.countBefore(cut.until.head) - sample.countBefore(cut.from.head))
  }

  private def cutsBefore(row: UnsafeRow): Option[HaloCut] = {
    def at(place: Long): Option[Cut] =
      grid.valueOf(place).map(value => Cut(order.changed(row, ordinal, value), grid.side))
    for {
      cut <- if (row.isNullAt(ordinal)) None else grid.cut(valueOf(row))
      own <- at(cut.at)
      from <- at(cut.from)
      until <- at(cut.until)
    } yield HaloCut(own, Seq(from), Seq(until))
  }

  private def valueOf(row: UnsafeRow): Long =
    row.get(ordinal, grid.column.dataType).asInstanceOf[Number].longValue
}
