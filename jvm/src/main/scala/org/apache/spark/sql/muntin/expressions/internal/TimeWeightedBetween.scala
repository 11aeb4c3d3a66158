package org.apache.spark.sql.muntin.expressions.internal

import io.muntin.kernel.AggregateState
import io.muntin.kernel.sums.TimeWeightedSum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.muntin.expressions.TimeWeightedAvg
import org.apache.spark.sql.muntin.expressions.common.TimesGoBack
import org.apache.spark.sql.types.{DataType, DoubleType}

/**
 * The average over the time from `start` until `end`, computed from the parts of the rows `before`
 * it, `within` it and `after` it. Null if no time passes between the first value and the last.
 */
final case class TimeWeightedBetween(
    before: Expression,
    within: Expression,
    after: Expression,
    start: Expression,
    end: Expression,
    isLinear: Boolean
) extends Expression
    with CodegenFallback {
  override def children: Seq[Expression] = Seq(before, within, after, start, end)

  override def dataType: DataType = DoubleType

  override def nullable: Boolean = true

  override def prettyName: String = TimeWeightedAvg.name

  @transient private lazy val disorder = TimesGoBack(prettyName, "at", start)

  @transient private lazy val sum, earlier, inside, later =
    new TimeWeightedSum(isLinear, disorder)

  override def eval(row: InternalRow): Any = {
    def part(of: Expression, read: TimeWeightedSum): TimeWeightedSum = of.eval(row) match {
      case null => null
      case bytes => AggregateState.ofBytes(bytes.asInstanceOf[Array[Byte]], read)
    }
    sum.between(
      part(before, earlier),
      part(within, inside),
      part(after, later),
      start.eval(row).asInstanceOf[Long],
      end.eval(row).asInstanceOf[Long]
    )
    if (sum.isInstant) null else sum.average
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): TimeWeightedBetween = copy(
    before = newChildren(0),
    within = newChildren(1),
    after = newChildren(2),
    start = newChildren(3),
    end = newChildren(4)
  )
}
