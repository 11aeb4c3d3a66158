package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.Abilities
import io.muntin.kernel.fields.InvalidWindowRowException
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Unevaluable}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.muntin.execution.functions.{AggregatePlan, FrameKind}
import org.apache.spark.sql.muntin.execution.split.{GroupReach, Halo}
import org.apache.spark.sql.muntin.expressions.{FieldWindow, Sessions, TickWindow, Validity}
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.types.{StructType, TimestampType}

/**
 * The plan of a GROUP BY's windows. ResolveGroupWindows creates the plan from the marker in the
 * query (`window`). From then on, the plan is an expression of the logical node, the physical node,
 * and the job of a stream, and is sent to the tasks.
 */
abstract class GroupWindowPlan extends Expression with Unevaluable {

  /**
   * Returns the arguments in the query. Over panes, its first column is the least value of a pane.
   */
  def window: GroupWindow

  /** Returns the bounds of a pane, if rows are partials of panes, and windows need them. */
  def panes: Option[PaneBounds] = None

  final override def children: Seq[Expression] = window +: panes.map(_.last).toSeq

  final override def dataType: StructType = window.dataType

  final override def nullable: Boolean = window.nullable

  final override def prettyName: String = window.prettyName

  final override def sql: String = window.call(columns.map(_.sql))

  final override def toString: String = window.call(columns.map(_.toString))

  private def columns: Seq[Expression] = window.children ++ children.tail

  /** Returns how rows enter and leave the windows, for each track. */
  def kinds: Seq[FrameKind]

  /** Returns true if rows leave in any order, and are in slots. */
  final def scatters: Boolean = kinds.exists(_.isScattered)

  /**
   * Returns the number of motions that find the windows, each separately over all rows. Their
   * windows are emitted in the order of `GroupWindowing.isBefore`.
   */
  final def tracks: Int = kinds.size

  /** Makes the windows of one track in a task, over the columns of `frame`. */
  def build(frame: GroupFrame, track: Int): GroupWindowing

  /** Returns the abilities of the accumulators of these functions, in all tracks. */
  private def abilities(functions: Seq[AggregatePlan]): Seq[Abilities] =
    kinds.distinct.flatMap(kind => functions.flatMap(_.abilitiesIn(kind)))

  /** Returns the accumulators of a function, for EXPLAIN. */
  final def accumulators(function: AggregatePlan): String =
    Abilities.names(function.abilitiesIn(kinds.head))

  /**
   * Returns true if no row leaves a window before the window is emitted, and later rows do not
   * belong to two windows: a stream can save accumulators in place of rows.
   */
  protected def isAccumulated: Boolean = false

  /** Returns true if a stream saves the accumulators of these functions in place of rows. */
  final def saves(functions: Seq[AggregatePlan]): Boolean =
    isAccumulated && abilities(functions).forall(_.saves)

  /** Returns true if there is a window that no row leaves. */
  def isEndless: Boolean = false

  /** Returns true if a stream would have to keep some rows forever. */
  final def isUnbounded(functions: Seq[AggregatePlan]): Boolean =
    isEndless && !abilities(functions).forall(_.saves)

  /**
   * Returns an aggregate over the rows of all groups, if the first window needs its value before it
   * can be emitted (`AllGroups.known`).
   */
  def ofAllGroups: Option[AggregateFunction] = None

  /** Returns the window fields that each ascend from one window of a group to the next. */
  def ascending: Seq[Int] = Nil

  /**
   * Returns which rows the windows of a chunk of a group reach; None if this is unknown at
   * planning: then groups are not split over tasks.
   */
  protected def reach: Option[GroupReach] = None

  /**
   * Returns the rows around a chunk of a group that its windows reach; None if some window needs
   * more of its group than a halo.
   */
  final def halo(functions: Seq[AggregatePlan]): Option[Halo] =
    reach
      .filter(_.alignsBlocks || !abilities(functions).exists(_.blocks))
      .map(reach => Halo.NoRows.copy(group = Some(reach)))

  /**
   * Returns the number of a row's pane, if every window consists of panes: rows are aggregated by
   * pane before the rows of a key are exchanged.
   */
  def pane: Option[Expression] = None

  /**
   * Returns the windows over panes: `first` and `last` are the least and greatest value in each.
   */
  def overPanes(first: Attribute, last: Attribute): GroupWindowPlan =
    throw new IllegalStateException(s"$first to $last are not panes of $sql")

  /**
   * On a stream: returns the last time that a row in the pane of `time` can have. Rows of the pane
   * may arrive until then.
   */
  def lastOfPane(time: Expression): Option[Expression] = None

  // The methods from here on concern windows on a stream. The watermark replaces the information
  // about all groups, and a group ends only if the stream is drained.

  /**
   * Rejects windows that a stream cannot have in groups of `keys`; `byArrival`: rows have their
   * results in the order of arrival.
   */
  def checkOnStream(keys: Seq[Attribute], byArrival: Boolean): Unit = ()

  /** Returns which rows have no window, and why: a stream rejects them before they are buffered. */
  def unfit: Option[(Expression, InvalidWindowRowException)] = None

  /**
   * Returns the window fields that are times at or above the watermark of the previous micro-batch,
   * when the window is emitted. Downstream windows may use them as their time.
   */
  def times: Seq[Int] =
    dataType.fields.indices.drop(1).filter { i =>
      dataType(i).dataType == TimestampType && !dataType(i).nullable
    }

  /**
   * Returns the field with a window's start, if downstream operators can know the start of the
   * oldest open window of all groups. They may use this field as their time, too.
   */
  def begins: Option[Int] = None

  /**
   * With several groups: returns `n` if every n-th row of all groups cuts the windows of each group
   * at its start.
   */
  def marks: Option[Int] = None

  /**
   * Returns true if a row that is not late may undo an open window: early answers are withdrawn.
   */
  def withdraws: Boolean = false

  /** Returns the field that is the time of windows, if a group may have several equal windows. */
  def repeats: Option[Int] = None

  /** Returns true if the newest row of all groups decides which windows a group has at the end. */
  def endsByNewest: Boolean = false

  /**
   * Returns true if a row closes the windows of its group that are open at its time: they are final
   * when the watermark has reached the row.
   */
  def closesAtRows: Boolean = false

  /** Returns true if the clock may close windows. */
  def hasClosing: Boolean = false

  /**
   * If the clock may close windows: returns the end of the last window that a row at `time` opens,
   * while windows until `openUntil` are open; None if the row opens no window.
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
    case other => throw new IllegalStateException(s"no plan for windows of ${other.prettyName}")
  }
}

/**
 * The data that windows over panes need in addition to the least value of each pane.
 *
 * @param last
 *   the greatest value of a pane
 * @param shown
 *   the field, or the time, in the query's terms
 */
final case class PaneBounds(last: Expression, shown: String)
