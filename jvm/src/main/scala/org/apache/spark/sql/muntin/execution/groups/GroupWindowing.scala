package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.FrameBuilder
import io.muntin.kernel.columns.Column
import io.muntin.kernel.motions.GroupMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/** Runs GROUP BY windows in a task, made by a GroupWindowPlan. */
abstract class GroupWindowing {
  def motion: GroupMotion

  /**
   * Returns true if its current window must be emitted before the current window of `other`,
   * another track of the same plan.
   */
  def isBefore(other: GroupWindowing): Boolean = false

  /** Writes the fields of the current window's struct. */
  def write(window: InternalRow): Unit
}

/** The parts from which a task makes GROUP BY windows. */
trait GroupFrame extends FrameBuilder {
  def allGroups: AllGroups

  /**
   * Returns the column of an expression, by position in the order of arrival, even if `column` has
   * slots.
   */
  def arriving(expression: Expression): Column
}

/**
 * A task's information about the rows of all groups.
 *
 * @param globalValue
 *   in a batch: the value of `GroupWindowPlan.ofAllGroups`; None if there is none
 * @param isStream
 *   the groups are a stream's: a later row may arrive at any time
 * @param isMarked
 *   on a stream: another operator counts the rows of all groups (`GroupWindowPlan.marks`)
 */
final case class AllGroups(
    globalValue: Option[Any] = None,
    isStream: Boolean = false,
    isMarked: Boolean = false
)
