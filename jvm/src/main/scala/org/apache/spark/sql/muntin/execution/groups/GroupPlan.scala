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

  /** How rows come to its windows and leave them: for each of its tracks. */
  def kinds: Seq[FrameKind]

  /** Rows leave in another order than that in which they came, and lie in slots. */
  final def scatters: Boolean = kinds.exists(_.isScattered)

  /**
   * For which rows there is no window, and why: on a stream they are refused before they wait for
   * their turn.
   */
  def unfit: Option[(Expression, UnfitRow)] = None

  /**
   * How many motions find the windows, each on its own over all rows: what they find comes out in
   * the order of `GroupWindowing.isBefore`.
   */
  final def tracks: Int = kinds.size

  /** What these functions run on, in all tracks. */
  final def abilities(functions: Seq[AggregatePlan]): Seq[Abilities] =
    kinds.distinct.flatMap(kind => functions.flatMap(_.on(kind)))

  /** On a stream some rows would have to be kept for ever. */
  final def isUnbounded(functions: Seq[AggregatePlan]): Boolean =
    isEndless && !abilities(functions).forall(_.saves)

  /** The accumulators of a function, for EXPLAIN. */
  final def accumulators(function: AggregatePlan): String =
    Abilities.names(function.on(kinds.head))

  /** No row ever leaves some window. */
  def isEndless: Boolean = false

  /** Makes the windows in a task, of the columns that `frame` has. */
  def build(frame: GroupFrame): GroupWindowing

  /** The same of one of its tracks. */
  def build(frame: GroupFrame, track: Int): GroupWindowing = {
    require(track == 0, s"track $track of $sql")
    build(frame)
  }
}

/** What the windows of groups are made of, in a task. */
trait GroupFrame extends FrameBuilder {

  /**
   * The column of an expression over the rows as they arrive, also where `column` is one of slots.
   */
  def arriving(expression: Expression): Column
}

/** The windows of groups in a task. */
abstract class GroupWindowing {
  def motion: GroupMotion

  /**
   * Whether its current window comes out before that of `other`, another track of the same plan.
   */
  def isBefore(other: GroupWindowing): Boolean = false

  /** Writes the fields of the current window's struct. */
  def write(window: InternalRow): Unit
}
