package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.rows.{JoinedResults, LeavesRoom}

/** Joins an input row with the results of its window functions. */
abstract class OverResults {

  /** Where the functions write; fields keep their values from row to row. */
  def target: InternalRow

  /**
   * Asks the rows for room for the results, and for so many fields `behind` them. How many fields
   * the rows have then: no more than before where they have no room.
   */
  def askForRoom(rows: LeavesRoom, behind: Int): Int

  /** The output row; valid until the next call, and as long as the row is. */
  def join(row: UnsafeRow): UnsafeRow
}

object OverResults {
  def apply(
      plan: OverPlan,
      windowExpression: Seq[NamedExpression],
      childOutput: Seq[Attribute]
  ): OverResults = {
    val bare = windowExpression.map {
      case Alias(w: WindowExpression, _) => plan.functions.indexWhere(_.window == w)
      case _ => -1
    }
    if (bare == plan.functions.indices) new Joined(plan, childOutput)
    else new Projected(plan, windowExpression, childOutput)
  }

  private final class Joined(plan: OverPlan, childOutput: Seq[Attribute]) extends OverResults {
    private val results = new JoinedResults(childOutput, plan.functions.map(_.dataType))

    override val target: InternalRow = results.target

    override def askForRoom(rows: LeavesRoom, behind: Int): Int =
      results.askForRoom(rows, behind)

    override def join(input: UnsafeRow): UnsafeRow = results.join(input)
  }

  /**
   * Results that are parts of expressions: the expressions are computed from row and results, as
   * Spark does.
   */
  private final class Projected(
      plan: OverPlan,
      windowExpression: Seq[NamedExpression],
      childOutput: Seq[Attribute]
  ) extends OverResults {
    private val references = plan.functions.map { f =>
      (f.window: Expression) ->
        BoundReference(childOutput.size + f.ordinal, f.dataType, f.window.nullable)
    }.toMap
    private val projection = UnsafeProjection.create(
      childOutput ++ windowExpression.map(_.transform {
        case w: WindowExpression => references(w)
      }),
      childOutput
    )
    private val joined = new JoinedRow

    override val target: InternalRow =
      new SpecificInternalRow(plan.functions.map(_.dataType))

    override def askForRoom(rows: LeavesRoom, behind: Int): Int = childOutput.size

    override def join(input: UnsafeRow): UnsafeRow = projection(joined(input, target))
  }
}
