package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.{AggregatePlan, FrameBuilder, FrameKind}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.Column
import io.muntin.kernel.fields.UnfitRow
import io.muntin.kernel.motions.GroupMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/** The windows of groups as planning has them: sent to the tasks. */
trait GroupPlan extends Serializable {

  /** How EXPLAIN shows it. */
  def sql: String

  /** How rows enter and leave its windows, for each of its tracks. */
  def kinds: Seq[FrameKind]

  /** Whether rows leave in any order, and lie in slots. */
  final def scatters: Boolean = kinds.exists(_.isScattered)

  /**
   * Which rows have no window, and why: on a stream they are refused before they wait for the
   * watermark.
   */
  def unfit: Option[(Expression, UnfitRow)] = None

  /**
   * How many motions find the windows, each on its own over all rows. Their windows come out in the
   * order of `GroupWindowing.isBefore`.
   */
  final def tracks: Int = kinds.size

  /** What the accumulators of these functions can do, in all tracks. */
  final def abilities(functions: Seq[AggregatePlan]): Seq[Abilities] =
    kinds.distinct.flatMap(kind => functions.flatMap(_.on(kind)))

  /** Whether, on a stream, some rows would have to be kept for ever. */
  final def isUnbounded(functions: Seq[AggregatePlan]): Boolean =
    isEndless && !abilities(functions).forall(_.saves)

  /** The accumulators of a function, for EXPLAIN. */
  final def accumulators(function: AggregatePlan): String =
    Abilities.names(function.on(kinds.head))

  /** Whether there is a window that no row leaves. */
  def isEndless: Boolean = false

  /** Makes the windows in a task, over the columns of `frame`. */
  def build(frame: GroupFrame): GroupWindowing

  /** Makes the windows of one track. */
  def build(frame: GroupFrame, track: Int): GroupWindowing = {
    require(track == 0, s"track $track of $sql")
    build(frame)
  }
}

/** What the windows of groups are made from, in a task. */
trait GroupFrame extends FrameBuilder {

  /**
   * The column of an expression, by position in the order of arrival, also where `column` has
   * slots.
   */
  def arriving(expression: Expression): Column
}

/** The windows of groups in a task. */
abstract class GroupWindowing {
  def motion: GroupMotion

  /**
   * Whether its current window comes out before the current window of `other`, which is another
   * track of the same plan.
   */
  def isBefore(other: GroupWindowing): Boolean = false

  /** Writes the fields of the current window's struct. */
  def write(window: InternalRow): Unit
}
