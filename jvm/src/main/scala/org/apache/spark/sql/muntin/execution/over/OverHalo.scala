package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.frames.{
  AtPeers,
  CompleteFramesPlan,
  EdgePlan,
  FramePlan,
  PiecedPlan,
  PlannedFunction,
  PresentFrom,
  RangeFrom,
  RowsFrom,
  SincePlan,
  SlidingPlan,
  Unbounded
}
import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.muntin.execution.split.{Halo, RequiredMatches}

/**
 * Finds the halo of a chunk for the functions of OVER: which rows around it the frames of its rows
 * reach.
 */
object OverHalo {

  /** Returns the halo; None if some function needs more of its partition than a halo. */
  def apply(plan: OverPlan, order: Seq[SortOrder]): Option[Halo] = {
    val halos = plan.functions.map(ofFunction(_, order))
    if (halos.exists(_.isEmpty) || !plan.frames.forall(_.isSplittable)) None
    else {
      // The preceding row is read, so that the kernel can check whether the first row is its peer.
      val counted = Halo.NoRows.copy(rowsBefore = 1L, isCounted = true)
      val ofBlocks = plan.frames.filter(_.hasBlocks)
      val counts = ofBlocks.nonEmpty || plan.functions.exists(_.function.isRanked)
      val requiredMatches = RequiredMatches.Nothing.copy(counted = ofBlocks.flatMap(_.motion.where))
      val all = halos.flatten.foldLeft(Halo.NoRows.copy(requiredMatches = requiredMatches))(_ and _)
      Some(if (counts) all and counted else all)
    }
  }

  /**
   * Returns the halo of one function, if its kernel needs no rows beyond the rows that its frames
   * reach; None if the halo is unknown.
   */
  def ofFunction(function: PlannedFunction, order: Seq[SortOrder]): Option[Halo] =
    function.frame match {
      case FramePlan(lower, Unbounded, None) => ofRest(function, lower, order)
      case FramePlan(Unbounded, upper, complete) if upper != Unbounded =>
        function.window.windowFunction match {
          case _: RowNumber | _: Rank => Some(Halo.NoRows)
          case _: DenseRank => None
          case _ =>
            for {
              last <- ofEdge(upper, order)
              before <- function.function.tail
                .fold(Option(Halo.NoRows.copy(isPreceded = true)))(ofTail(_, upper))
            } yield last and before and ofComplete(complete)
        }
      case FramePlan(lower, upper, complete) =>
        ofEdges(Seq(lower, upper), order).map(_ and ofComplete(complete))
      case PiecedPlan(lower, upper, holes, complete) =>
        ofEdges(Seq(lower, upper) ++ holes.flatMap(h => Seq(h.first, h.last)), order)
          .map(_ and ofComplete(complete))
      case SlidingPlan(size, None, _) => Some(Halo.NoRows.copy(rowsBefore = size - 1L))
      // A row for which the condition is not true has all of the `size` rows before it in its
      // window.
      case SlidingPlan(size, Some(where), _) => ofRows(RowsWhere(where, size.toLong))
      case SincePlan(dividing, count, _) => ofRows(RowsWhere(dividing, count.toLong))
      case _ => None
    }

  /** Returns the halo of frames that end with the partition. */
  private def ofRest(
      function: PlannedFunction,
      lower: EdgePlan,
      order: Seq[SortOrder]
  ): Option[Halo] = {
    val rest = Halo.NoRows.copy(isFollowed = true)
    (lower, function.window.windowFunction) match {
      // Without ORDER BY all rows of a partition are peers, and cannot be cut apart.
      case _ if order.isEmpty => None
      // The function only needs the number of rows.
      case (_, _: SizeBasedWindowFunction) => Some(rest)
      case (Unbounded, _) => Some(rest.copy(isPreceded = true))
      case _ => ofEdge(lower, order).map(_ and rest)
    }
  }

  /** Returns the halo for rows before a chunk that must be searched. */
  private def ofRows(rows: RowsWhere): Option[Halo] =
    if (rows.condition == Literal.TrueLiteral) Some(Halo.NoRows.copy(rowsBefore = rows.count))
    else requiredMatches(rows).map(r =>
      Halo.NoRows.copy(requiredMatches = RequiredMatches.Nothing.copy(before = r))
    )

  private def requiredMatches(rows: RowsWhere): Option[Seq[RowsWhere]] =
    Option.when(RequiredMatches.supports(rows))(Seq(rows))

  /** Returns the halo of a frame that grows up to `upper`, and uses only its last rows. */
  private def ofTail(tail: RowsWhere, upper: EdgePlan): Option[Halo] = upper match {
    // Rows between the end of a row's frame and the row itself do not count.
    case RowsFrom(shift) =>
      ofRows(tail.copy(count = tail.count + math.max(0L, -1L - shift)))
    case RangeFrom(keys, _) if !keys.side.exists(_ >= 0) => None
    case _ => ofRows(tail)
  }

  /** Rows outside the frame may show whether a row of the frame is missing. */
  private def ofComplete(complete: Option[CompleteFramesPlan]): Halo =
    complete.fold(Halo.NoRows) { inside =>
      val shifts = 0L +: (inside.first ++ inside.last).toSeq
      Halo.NoRows.copy(rowsBefore = -shifts.min, rowsAfter = shifts.max)
    }

  private def ofEdges(edges: Seq[EdgePlan], order: Seq[SortOrder]): Option[Halo] = {
    val halos = edges.map(ofEdge(_, order))
    if (halos.exists(_.isEmpty)) None else Some(halos.flatten.foldLeft(Halo.NoRows)(_ and _))
  }

  /** Returns the halo of one end of a frame. */
  def ofEdge(edge: EdgePlan, order: Seq[SortOrder]): Option[Halo] =
    edge match {
      case RowsFrom(shift) =>
        Some(Halo.NoRows.copy(rowsBefore = math.max(0L, -shift), rowsAfter = math.max(0L, shift)))
      // A chunk never ends between peers.
      case AtPeers(peers, _, _) => ofPeers(peers, order)
      case RangeFrom(keys, _) if keys.order.child.isInstanceOf[Attribute] =>
        for {
          peers <- ofPeers(Seq(keys.order), order)
          side <- keys.side
        } yield
          if (side < 0) peers.copy(rangesBefore = Seq(keys))
          else if (side > 0) peers.copy(rangesAfter = Seq(keys))
          else peers
      case PresentFrom(value, count) =>
        requiredMatches(RowsWhere(IsNotNull(value), count.toLong))
          .map(rows =>
            Halo.NoRows.copy(requiredMatches = RequiredMatches.Nothing.copy(after = rows))
          )
      case _ => None
    }

  /** Peers stay together if their order is the order of the rows, or the first columns of it. */
  private def ofPeers(peers: Seq[SortOrder], order: Seq[SortOrder]): Option[Halo] = {
    // A repeated column does not affect the order.
    val by = peers.foldLeft(Seq.empty[SortOrder]) { (known, next) =>
      if (known.exists(_.child.semanticEquals(next.child))) known else known :+ next
    }
    val isFirst = order.take(by.size).map(_.canonicalized) == by.map(_.canonicalized)
    Option.when(by.nonEmpty && isFirst)(Halo.NoRows.copy(groupedColumns = Some(by.size)))
  }
}
