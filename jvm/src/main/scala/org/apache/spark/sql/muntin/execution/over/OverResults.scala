package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{StructField, StructType}

/** Joins an input row with the results of its window functions. */
abstract class OverResults {

  /** Where the functions write; fields keep their values from row to row. */
  def target: InternalRow

  /** The output row; valid until the next call. */
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

  private def row(plan: OverPlan): InternalRow =
    new SpecificInternalRow(plan.functions.map(_.dataType))

  /** The results behind the row, field by field. */
  private final class Joined(plan: OverPlan, childOutput: Seq[Attribute]) extends OverResults {
    private val types = plan.functions.map(_.dataType)
    private val schema =
      StructType(types.zipWithIndex.map { case (t, i) => StructField(i.toString, t) })
    private val joiner =
      GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(childOutput), schema)
    private val fixed = types.forall(t => UnsafeRow.isFixedLength(t))
    private val projection = if (fixed) null else UnsafeProjection.create(types.toArray)

    override val target: InternalRow =
      if (fixed) UnsafeRow.createFromByteArray(fixedSize(types.size), types.size) else row(plan)

    override def join(input: UnsafeRow): UnsafeRow =
      joiner.join(input, if (fixed) target.asInstanceOf[UnsafeRow] else projection(target))

    private def fixedSize(fields: Int): Int =
      UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
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

    override val target: InternalRow = row(plan)

    override def join(input: UnsafeRow): UnsafeRow = projection(joined(input, target))
  }
}
