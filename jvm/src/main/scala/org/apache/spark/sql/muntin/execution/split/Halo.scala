package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.frames.{
  AtPeers,
  EdgePlan,
  FramePlan,
  RangeFrom,
  RangeKeys,
  RowsFrom,
  SlidingPlan,
  Unbounded
}
import org.apache.spark.sql.muntin.execution.functions.FunctionPlan
import org.apache.spark.sql.muntin.execution.groups.GroupKernel
import org.apache.spark.sql.muntin.execution.over.{OverKernel, OverPlan, PlannedFunction}
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.GroupWindow

/**
 * Which rows around a part of a partition the windows of its rows reach: so many before and after it, and those
 * within the offsets of RANGE frames. `isCounted`: how many rows of the partition come before has to be
 * known as well; `isPreceded`: all of them are in frames, in any order; `isFollowed`: all that come behind it. `group`: the
 * rows that windows of groups reach.
 */
final case class Halo(
    rowsBefore: Long,
    rowsAfter: Long,
    rangesBefore: Seq[RangeKeys],
    rangesAfter: Seq[RangeKeys],
    isCounted: Boolean,
    isPreceded: Boolean,
    group: Option[GroupReach] = None,
    isFollowed: Boolean = false
) {

  /** What tells where rows of this order can be cut. */
  def columns(order: Seq[SortOrder]): AttributeSet =
    AttributeSet(order.flatMap(_.references)) ++ group.fold(AttributeSet.empty)(_.references)

  /** Rows have to be counted before it is known where it begins and ends. */
  def isOfRows: Boolean = isCounted || rowsBefore > 0L || rowsAfter > 0L

  private def and(other: Halo): Halo = Halo(
    math.max(rowsBefore, other.rowsBefore),
    math.max(rowsAfter, other.rowsAfter),
    (rangesBefore ++ other.rangesBefore).distinct,
    (rangesAfter ++ other.rangesAfter).distinct,
    isCounted || other.isCounted,
    isPreceded || other.isPreceded,
    isFollowed = isFollowed || other.isFollowed
  )
}

object Halo {

  /** The rows of a part are all that its windows reach. */
  val NoRows: Halo = Halo(0L, 0L, Nil, Nil, isCounted = false, isPreceded = false)

  /** None where some of the windows of groups needs more. */
  def of(
      window: GroupWindow,
      functions: Seq[FunctionPlan],
      input: Seq[Attribute]
  ): Option[Halo] =
    window.groupReach.filter { reach =>
      val kernel =
        new GroupKernel(window.plan(None), functions, functions.indices, input, Memory.Unlimited)
      reach.alignsBlocks || !kernel.mergesBlocks
    }.map(reach => NoRows.copy(group = Some(reach)))

  /** None where some function needs more of its partition than a halo. */
  def of(plan: OverPlan, order: Seq[SortOrder], input: Seq[Attribute]): Option[Halo] = {
    val halos = plan.functions.map(ofFunction(_, order))
    if (halos.exists(_.isEmpty)) None
    else {
      val kernel = new OverKernel(
        plan,
        order,
        input,
        Memory.Unlimited,
        onStream = false,
        new GeneratedCode(input),
        isSplit = true
      )
      if (!kernel.startsAnywhere) None
      else {
        // The row before tells whether the first is a peer of it.
        val counted = NoRows.copy(rowsBefore = 1L, isCounted = true)
        val all = halos.flatten.foldLeft(NoRows)(_ and _)
        Some(if (kernel.countsRows) all and counted else all)
      }
    }
  }

  private def ofFunction(function: PlannedFunction, order: Seq[SortOrder]): Option[Halo] =
    function.frame match {
      case FramePlan(lower, Unbounded, None) => ofRest(function, lower, order)
      case FramePlan(Unbounded, upper, None) =>
        function.window.windowFunction match {
          case _: RowNumber | _: Rank => Some(NoRows)
          case _: DenseRank => None
          case _ => ofEdge(upper, order).map(_.copy(isPreceded = true))
        }
      case FramePlan(lower, upper, None) =>
        for {
          first <- ofEdge(lower, order)
          last <- ofEdge(upper, order)
        } yield first and last
      case SlidingPlan(size, None, _) => Some(NoRows.copy(rowsBefore = size - 1L))
      case _ => None
    }

  /** Of frames that end with the partition. */
  private def ofRest(
      function: PlannedFunction,
      lower: EdgePlan,
      order: Seq[SortOrder]
  ): Option[Halo] = {
    val rest = NoRows.copy(isFollowed = true)
    (lower, function.window.windowFunction) match {
      // All rows of a partition are peers: nowhere can it be cut.
      case _ if order.isEmpty => None
      // How many rows there are is all that it has to know.
      case (_, _: SizeBasedWindowFunction) => Some(rest)
      case (Unbounded, _) => Some(rest.copy(isPreceded = true))
      case _ => ofEdge(lower, order).map(_ and rest)
    }
  }

  private def ofEdge(edge: EdgePlan, order: Seq[SortOrder]): Option[Halo] =
    edge match {
      case RowsFrom(shift) =>
        Some(NoRows.copy(rowsBefore = math.max(0L, -shift), rowsAfter = math.max(0L, shift)))
      // No chunk ends between peers.
      case AtPeers(peers, _, _) if peers.map(_.canonicalized) == order.map(_.canonicalized) =>
        Some(NoRows)
      case RangeFrom(keys, _) if keys.order.child.isInstanceOf[Attribute] =>
        keys.side.map { side =>
          if (side < 0) NoRows.copy(rangesBefore = Seq(keys))
          else if (side > 0) NoRows.copy(rangesAfter = Seq(keys))
          else NoRows
        }
      case _ => None
    }
}
