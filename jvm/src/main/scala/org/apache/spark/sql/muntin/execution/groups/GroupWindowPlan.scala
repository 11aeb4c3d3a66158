package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.Abilities
import io.muntin.kernel.fields.UnfitRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Unevaluable}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.muntin.execution.functions.{AggregatePlan, FrameKind}
import org.apache.spark.sql.muntin.execution.split.{GroupReach, Halo}
import org.apache.spark.sql.muntin.expressions.{
  FieldWindow,
  GroupWindow,
  Sessions,
  TickWindow,
  Validity
}
import org.apache.spark.sql.types.{StructType, TimestampType}

/**
 * The windows of a GROUP BY as they are planned. ResolveGroupWindows makes the plan of the marker
 * in the query (`window`); from there on it is an expression of the logical node, the physical
 * node, and the job of a stream, and is sent to the tasks.
 */
abstract class GroupWindowPlan extends Expression with Unevaluable {

  /** The arguments of the query. Over panes, its first column is the least value of a pane. */
  def window: GroupWindow

  /** The greatest value of a pane, if rows are partials of panes, and windows need it. */
  def panes: Option[PaneBounds] = None

  final override def children: Seq[Expression] = window +: panes.map(_.last).toSeq

  final override def dataType: StructType = window.dataType

  final override def nullable: Boolean = window.nullable

  final override def prettyName: String = window.prettyName

  final override def sql: String = window.call(columns.map(_.sql))

  final override def toString: String = window.call(columns.map(_.toString))

  private def columns: Seq[Expression] = window.children ++ children.tail

  /** How rows enter and leave the windows, for each of their tracks. */
  def kinds: Seq[FrameKind]

  /** Whether rows leave in any order, and lie in slots. */
  final def scatters: Boolean = kinds.exists(_.isScattered)

  /**
   * How many motions find the windows, each on its own over all rows. Their windows come out in the
   * order of `GroupWindowing.isBefore`.
   */
  final def tracks: Int = kinds.size

  /** Makes the windows of one track in a task, over the columns of `frame`. */
  def build(frame: GroupFrame, track: Int): GroupWindowing

  /** What the accumulators of these functions can do, in all tracks. */
  private def abilities(functions: Seq[AggregatePlan]): Seq[Abilities] =
    kinds.distinct.flatMap(kind => functions.flatMap(_.on(kind)))

  /** The accumulators of a function, for EXPLAIN. */
  final def accumulators(function: AggregatePlan): String =
    Abilities.names(function.on(kinds.head))

  /** Whether there is a window that no row leaves. */
  def isEndless: Boolean = false

  /** Whether, on a stream, some rows would have to be kept for ever. */
  final def isUnbounded(functions: Seq[AggregatePlan]): Boolean =
    isEndless && !abilities(functions).forall(_.saves)

  /**
   * An aggregate over the rows of all groups, if the first window cannot come out before its value
   * is known (`AllGroups.known`).
   */
  def ofAllGroups: Option[AggregateFunction] = None

  /** The fields of a window, each of which ascends from one window of a group to the next. */
  def ascending: Seq[Int] = Nil

  /**
   * Which rows the windows of a chunk of a group reach; None where planning cannot know it: then no
   * group is split over tasks.
   */
  protected def reach: Option[GroupReach] = None

  /**
   * The rows around a chunk of a group that the windows reach that begin in it; None where some
   * window needs more of its group than a halo.
   */
  final def halo(functions: Seq[AggregatePlan]): Option[Halo] =
    reach
      .filter(_.alignsBlocks || !abilities(functions).exists(_.blocks))
      .map(reach => Halo.NoRows.copy(group = Some(reach)))

  /**
   * The number of the pane that a row is in, if every window is made of panes: rows are aggregated
   * by pane before the rows of a key are exchanged.
   */
  def pane: Option[Expression] = None

  /** The same windows over panes: `first` and `last` are the least and greatest value in each. */
  def overPanes(first: Attribute, last: Attribute): GroupWindowPlan =
    throw new IllegalStateException(s"$first to $last are no panes of $sql")

  /**
   * On a stream: the last time that a row of the same pane as `time` can have. Rows of the pane may
   * come until then.
   */
  def lastOfPane(time: Expression): Option[Expression] = None

  // What follows is about windows on a stream. There the watermark takes the place of what is known
  // of all groups, and a group ends only if the stream is drained.

  /**
   * Refuses windows that a stream cannot have in groups of `keys`; `byArrival`: rows have their
   * results in the order in which they come.
   */
  def checkOnStream(keys: Seq[Attribute], byArrival: Boolean): Unit = ()

  /**
   * Which rows have no window, and why: on a stream they are refused before they wait for the
   * watermark.
   */
  def unfit: Option[(Expression, UnfitRow)] = None

  /**
   * The fields of a window that are times, none of them before the watermark of the micro-batch
   * before the one in which the window comes out. Windows of windows go by them.
   */
  def times: Seq[Int] =
    dataType.fields.indices.drop(1).filter { i =>
      dataType(i).dataType == TimestampType && !dataType(i).nullable
    }

  /**
   * The field of a window that is when it begins, where operators above can know when the oldest
   * open window of all groups begins. They may go by it, too.
   */
  def begins: Option[Int] = None

  /**
   * With several groups: the windows of each group are cut at the start of every so many-th row of
   * all groups.
   */
  def marks: Option[Int] = None

  /** Whether a later row in time may undo a window that is open: early answers are withdrawn. */
  def withdraws: Boolean = false

  /** The field that is the time of windows of which a group may have several that are equal. */
  def repeats: Option[Int] = None

  /** Whether the newest row of all groups says which windows a group has at the end. */
  def endsByNewest: Boolean = false

  /**
   * Returns true if a row closes the windows of its group that are open at its time: they are final
   * when the watermark has reached the row.
   */
  def closesAtRows: Boolean = false

  /** Whether the clock may close windows. */
  def hasClosing: Boolean = false

  /**
   * Where the clock may close windows: the end of the last window that a row at `time` opens, where
   * windows until `openUntil` are open; None where it opens none.
   */
  def lastEnd(time: Long, openUntil: Long): Option[Long] = None
}

object GroupWindowPlan {

  /** A window that has its own plan. */
  trait Own extends GroupWindow {
    def plan: GroupWindowPlan
  }

  def of(window: GroupWindow): GroupWindowPlan = window match {
    case field: FieldWindow => FieldWindowPlan(field)
    case ticks: TickWindow => TickWindowPlan(ticks)
    case validity: Validity => ValidityPlan(validity)
    case sessions: Sessions => SessionsPlan(sessions)
    case own: Own => own.plan
    case other => throw new IllegalStateException(s"no windows are known of ${other.prettyName}")
  }
}

/**
 * What windows over panes need besides the least value of each.
 *
 * @param last
 *   the greatest value of a pane
 * @param shown
 *   the field, or the time, as the query has it
 */
final case class PaneBounds(last: Expression, shown: String)
