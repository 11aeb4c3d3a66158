package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.rows.JoinedResults

/** Joins an input row with the results of its window functions. */
abstract class OverResults {

  /** Returns the row to which the functions write; fields keep their values from row to row. */
  def target: InternalRow

  /** Returns the number of fields of the rows that are joined with results. */
  def fieldsOfRows: Int

  /** Returns the output row; valid until the next call, and while the input row is valid. */
  def join(row: UnsafeRow): UnsafeRow
}

object OverResults {

  /**
   * Returns results after the child's first `inputColumns` columns; `reserved` as in JoinedResults.
   */
  def apply(
      plan: OverPlan,
      windowExpression: Seq[NamedExpression],
      childOutput: Seq[Attribute],
      inputColumns: Int,
      reserved: Option[Int] = None
  ): OverResults =
    if (areBare(plan, windowExpression)) {
      new Joined(
        new JoinedResults(childOutput, plan.functions.map(_.dataType), inputColumns, reserved)
      )
    } else new Projected(plan, windowExpression, childOutput, inputColumns)

  /** Returns how many fields must be reserved in the child's rows, as JoinedResults does. */
  def toReserve(
      plan: OverPlan,
      windowExpression: Seq[NamedExpression],
      childOutput: Seq[Attribute],
      inputColumns: Int,
      after: Int
  ): Option[Int] =
    if (!areBare(plan, windowExpression)) None
    else JoinedResults.toReserve(childOutput, plan.functions.map(_.dataType), inputColumns, after)

  /** Returns true if the results are the functions' values, in their order. */
  private def areBare(plan: OverPlan, windowExpression: Seq[NamedExpression]): Boolean =
    plan.functions.indices == windowExpression.map {
      case Alias(w: WindowExpression, _) => plan.functions.indexWhere(_.window == w)
      case _ => -1
    }

  private final class Joined(results: JoinedResults) extends OverResults {
    override val target: InternalRow = results.target

    override def fieldsOfRows: Int = results.fieldsOfRows

    override def join(input: UnsafeRow): UnsafeRow = results.join(input)
  }

  /**
   * Results that are parts of expressions: it computes the expressions from row and results, as
   * Spark does.
   */
  private final class Projected(
      plan: OverPlan,
      windowExpression: Seq[NamedExpression],
      childOutput: Seq[Attribute],
      inputColumns: Int
  ) extends OverResults {
    private val references = plan.functions.map { f =>
      (f.window: Expression) ->
        BoundReference(childOutput.size + f.ordinal, f.dataType, f.window.nullable)
    }.toMap
    private val projection = UnsafeProjection.create(
      childOutput.take(inputColumns) ++ windowExpression.map(_.transform {
        case w: WindowExpression => references(w)
      }),
      childOutput
    )
    private val joined = new JoinedRow

    override val target: InternalRow =
      new SpecificInternalRow(plan.functions.map(_.dataType))

    override def fieldsOfRows: Int = childOutput.size

    override def join(input: UnsafeRow): UnsafeRow = projection(joined(input, target))
  }
}
