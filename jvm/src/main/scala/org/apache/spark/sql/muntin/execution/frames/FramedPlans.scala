package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.muntin.execution.functions.{FrameKind, RowFrameBuilder}
import io.muntin.kernel.motions.{CompleteFrames, PiecedMotion, RowMotion}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.Framed
import org.apache.spark.sql.muntin.spark.FrameBetween

/**
 * Plans framed(agg, …): the frame of the OVER clause, without the ends that are not closed, and
 * without the rows that are excluded or that arrived later. If the remaining rows are certain to be
 * contiguous, the motion is an ordinary frame's.
 *
 *     ROWS 2 PRECEDING, exclude => 'current row'       ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING
 *     ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING,        a frame with a hole: PiecedPlan
 *         exclude => 'current row'
 */
object FramedPlans {
  def of(framed: Framed, spec: WindowSpecDefinition, timeZone: String): Option[MotionPlan] =
    frame(framed, spec, timeZone).map { standard =>
      val order = spec.orderSpec
      val lower =
        if (framed.closesStart) standard.lower else standard.lower.excluded(lower = true)
      val upper =
        if (framed.closesEnd) standard.upper else standard.upper.excluded(lower = false)
      val complete = if (framed.complete) Some(CompleteFramesPlan.between(lower, upper)) else None
      plan(
        lower,
        upper,
        holes(framed, order, isByPeers(framed, spec)),
        complete,
        s"${standard.sql}${framed.frameSql}"
      )
    }

  private def frame(
      framed: Framed,
      spec: WindowSpecDefinition,
      timeZone: String
  ): Option[FramePlan] = (framed.groups, framed.bounds) match {
    case (Some(groups), _) =>
      val lower = GroupsFrom(spec.orderSpec, groups.lower)
      Some(FramePlan(lower, GroupsFrom(spec.orderSpec, groups.upper))(groups.sql))
    case (_, Some(bounds)) =>
      val ends = NonMonotonicEdge.of(bounds, spec.orderSpec, timeZone)
      Some(FramePlan(ends._1, ends._2)(bounds.sql))
    case _ => FramePlan.standard(spec, timeZone)
  }

  /** Returns true if peers share a frame. */
  private def isByPeers(framed: Framed, spec: WindowSpecDefinition): Boolean =
    framed.bounds.fold(framed.groups.isDefined || isRange(spec))(_.kind != "ROWS")

  private def isRange(spec: WindowSpecDefinition): Boolean = spec.frameSpecification match {
    case FrameBetween(RangeFrame, _, _) => true
    case _ => false
  }

  private def holes(framed: Framed, order: Seq[SortOrder], byPeers: Boolean): Seq[Hole] = {
    val peers = AtPeers(order)
    val row = RowsFrom(0L)
    val later = framed.arrival.filter(_ => byPeers).map { arrival =>
      val arrived = AtPeers(order :+ SortOrder(arrival, Ascending), narrow = true)
      Hole(arrived.excluded(lower = true), peers)
    }
    framed.exclude match {
      case Framed.CurrentRow => Hole(row, row) +: later.toSeq
      // The hole contains the peers that arrived later, too.
      case Framed.Group => Seq(Hole(peers, peers))
      case Framed.Ties => Seq(Hole(peers, RowsFrom(-1L)), Hole(RowsFrom(1L), peers))
      case _ => later.toSeq
    }
  }

  private def plan(
      lower: EdgePlan,
      upper: EdgePlan,
      holes: Seq[Hole],
      complete: Option[CompleteFramesPlan],
      sql: String
  ): MotionPlan = {
    val first = lower.place(lower = true)
    val last = upper.place(lower = false)
    // Pieces extend from the end of one hole to the beginning of the next.
    val starts = lower +: holes.map(_.last.turned(lower = false))
    val ends = holes.map(_.first.turned(lower = true)) :+ upper
    val filled = starts.zip(ends).filterNot { case (start, end) =>
      val from = start.place(lower = true)
      val until = end.place(lower = false)
      until.isUpTo(from) || last.isUpTo(from) || until.isUpTo(first)
    }
    val contiguous = filled match {
      case Seq((start, end)) =>
        for {
          from <- later(lower, start, lower = true)
          until <- earlier(upper, end, lower = false)
        } yield FramePlan(from, until, complete)(sql)
      case _ => None
    }
    if (lower.isNonMonotonic || upper.isNonMonotonic) NonMonotonicPlan(lower, upper, holes)(sql)
    else contiguous.getOrElse(PiecedPlan(lower, upper, holes, complete)(sql))
  }

  private def later(a: EdgePlan, b: EdgePlan, lower: Boolean): Option[EdgePlan] =
    if (a == b || a.place(lower).isUpTo(b.place(lower))) Some(b)
    else if (b.place(lower).isUpTo(a.place(lower))) Some(a)
    else None

  private def earlier(a: EdgePlan, b: EdgePlan, lower: Boolean): Option[EdgePlan] =
    later(a, b, lower).map(found => if (found == b) a else b)
}

/** Rows between the ends of a frame that are not in it, from `first` to `last`. */
final case class Hole(first: EdgePlan, last: EdgePlan)

/** The motion of a frame with holes. */
final case class PiecedPlan(
    lower: EdgePlan,
    upper: EdgePlan,
    holes: Seq[Hole],
    complete: Option[CompleteFramesPlan]
)(override val sql: String)
    extends EdgedPlan {
  override def kind: FrameKind = FrameKind.Pieced

  override def build(frame: RowFrameBuilder): RowMotion = new PiecedMotion(
    lower.build(frame, lower = true),
    upper.build(frame, lower = false),
    holes.flatMap { hole =>
      Seq(hole.first.build(frame, lower = true), hole.last.build(frame, lower = false))
    }.toArray,
    CompleteFramesPlan.build(complete)
  )
}

/**
 * How far from its row the ends of a ROWS frame must be inside the partition; None for an unbounded
 * end.
 */
final case class CompleteFramesPlan(first: Option[Long], last: Option[Long])

object CompleteFramesPlan {

  /**
   * Returns the plan for the frame between these ends, which both belong to it. A frame that cannot
   * contain a row misses none.
   */
  def between(lower: EdgePlan, upper: EdgePlan): CompleteFramesPlan =
    (shift(lower), shift(upper)) match {
      case (Some(first), Some(last)) if first > last => CompleteFramesPlan(None, None)
      case (first, last) => CompleteFramesPlan(first, last)
    }

  private def shift(edge: EdgePlan): Option[Long] = edge match {
    case RowsFrom(rows) => Some(rows)
    case _ => None
  }

  def build(plan: Option[CompleteFramesPlan]): CompleteFrames =
    plan.fold(CompleteFrames.Always)(p => new CompleteFrames(p.first, p.last))
}
