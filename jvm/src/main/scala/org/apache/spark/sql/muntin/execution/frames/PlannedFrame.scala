package org.apache.spark.sql.muntin.execution.frames

import io.muntin.kernel.Abilities
import org.apache.spark.sql.catalyst.expressions.WindowExpression
import org.apache.spark.sql.muntin.execution.functions.FunctionPlan
import org.apache.spark.sql.types.DataType

/** A window function in its frame, and the field of the result row for its result. */
final case class PlannedFunction(
    window: WindowExpression,
    frame: MotionPlan,
    function: FunctionPlan,
    ordinal: Int
) {
  def dataType: DataType = window.dataType

  /** Returns the abilities of its accumulators if all rows of a partition are in one task. */
  def abilities: Seq[Abilities] = function.abilitiesIn(frame.kind)

  /**
   * Returns the abilities of its accumulators in a chunk of a partition, whose frames may be
   * followed by rows of another task.
   */
  def abilitiesWhenSplit: Seq[Abilities] = function.abilitiesIn(frame.kindWhenSplit)

  /** Returns true if no row leaves, and its accumulators can be saved in place of rows. */
  def saves: Boolean = !frame.kind.evicts && abilities.forall(_.saves)

  /** Returns true if it would have to keep every row of a stream. */
  def isUnbounded: Boolean = frame.isEndless && !saves

  /** Returns its accumulators, for EXPLAIN. */
  def accumulators: String = Abilities.names(abilities)
}

/**
 * The functions of one frame, and the abilities of their accumulators, which is all that planning
 * needs about a task's accumulators.
 */
final case class PlannedFrame(motion: MotionPlan, functions: Seq[PlannedFunction]) {

  /** Returns true if no row leaves, and the accumulators can be saved in place of rows. */
  def saves: Boolean = functions.forall(_.saves)

  private lazy val splitAbilities = functions.flatMap(_.abilitiesWhenSplit)

  /** Returns true if, in a chunk of a partition, results depend on where blocks of rows begin. */
  def hasBlocks: Boolean = splitAbilities.exists(_.blocks)

  /**
   * Returns true if, in a chunk of a partition, the frame needs only the rows that it reaches, and
   * the first row's position; if it begins or ends with the partition, it also needs the other
   * rows, in any order.
   *
   * If blocks of rows are merged, they must begin as if all rows were present. They do if the first
   * block begins with the partition: in ROWS frames that look back, and share a row with the
   * previous frame.
   */
  def isSplittable: Boolean = motion match {
    case FramePlan(RowsFrom(shift), _: RowsFrom, _) if shift < 0L => true
    case _: SlidingPlan => true
    // The rows after the chunk are added before its own rows, in any order.
    case FramePlan(lower, Unbounded, _) if lower != Unbounded => splitAbilities.forall(_.follows)
    case FramePlan(_, Unbounded, _) => splitAbilities.forall(a => a.saves && a.anyOrder)
    case FramePlan(Unbounded, _, _) =>
      splitAbilities.forall(a => a.saves && (a.anyOrder || a.lastRowsOnly))
    case _: EdgedPlan => !hasBlocks
    case _ => true
  }
}
