package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.FrameBuilder
import io.muntin.kernel.columns.Column
import io.muntin.kernel.motions.GroupMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/** The windows of groups in a task, as a GroupWindowPlan makes them. */
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

/** What the windows of groups are made from, in a task. */
trait GroupFrame extends FrameBuilder {
  def allGroups: AllGroups

  /**
   * The column of an expression, by position in the order of arrival, also where `column` has
   * slots.
   */
  def arriving(expression: Expression): Column
}

/**
 * What a task knows of the rows of all groups.
 *
 * @param known
 *   in a batch: the value of `GroupWindowPlan.ofAllGroups`; None if there is none
 * @param isStream
 *   the groups are those of a stream: a later row may come at any time
 * @param isMarked
 *   on a stream: another operator counts the rows of all groups (`GroupWindowPlan.marks`)
 */
final case class AllGroups(
    known: Option[Any] = None,
    isStream: Boolean = false,
    isMarked: Boolean = false
)
