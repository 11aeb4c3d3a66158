package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{DoubleOutput, Output, ValueType}
import io.muntin.kernel.Abilities
import io.muntin.kernel.sums.WholeSum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.muntin.spark.Arithmetic
import org.apache.spark.sql.types._

/**
 * Plans sum and try_sum. If a sum does not fit the result's type, Spark's own expressions return
 * the result or raise the error.
 */
final case class SumValues(sum: Sum, input: Expression) extends AggregatePlan {
  override def takesByValue: Boolean = true

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(Sums.abilities(sum.child.dataType, "correctly rounded"))

  override def build(frame: FrameBuilder, ordinal: Int): Output = sum.child.dataType match {
    case FloatType | DoubleType =>
      val exact = Sums.exact(frame, input)
      new DoubleOutput(ordinal) {
        override protected def isNull: Boolean = exact.isEmpty
        override protected def value: Double = exact.sum
      }
    case _: DecimalType => decimals(Sums.whole(frame, input), ordinal)
    case _: YearMonthIntervalType => integers(frame, ordinal, Int.MinValue, Int.MaxValue)
    case _ => integers(frame, ordinal, Long.MinValue, Long.MaxValue)
  }

  private def integers(frame: FrameBuilder, ordinal: Int, min: Long, max: Long): Output = {
    val exact = Sums.integer(frame, input)
    val writer = ValueType.longWriter(sum.dataType, ordinal)
    new Output {
      override def write(target: InternalRow): Unit =
        if (exact.isEmpty) target.setNullAt(ordinal)
        else if (exact.fitsLong && exact.long >= min && exact.long <= max) {
          writer.write(exact.long, target)
        } else overflow(target)

      private def overflow(target: InternalRow): Unit = Arithmetic.overflow(sum) match {
        case EvalMode.TRY => target.setNullAt(ordinal)
        case EvalMode.LEGACY if sum.dataType == LongType => writer.write(exact.long, target)
        case _ => throw new IllegalStateException(s"no overflow: ${overflowed.eval()}")
      }
    }
  }

  // Returns Spark's own addition of two values whose sum does not fit: it raises Spark's own error.
  private def overflowed: Expression = sum.dataType match {
    case ym: YearMonthIntervalType =>
      Arithmetic.plus(sum, Literal(Int.MaxValue, ym), Literal(1, ym))
    case other => Arithmetic.plus(sum, Literal(Long.MaxValue, other), Literal(1L, other))
  }

  private def decimals(exact: WholeSum, ordinal: Int): Output = {
    val result = sum.dataType.asInstanceOf[DecimalType]
    new Output {
      private lazy val finish = new SparkFinish(sum)
      override def write(target: InternalRow): Unit =
        if (exact.isEmpty) target.setNullAt(ordinal)
        else {
          val value = Sums.decimal(exact, result)
          // Too large: null, or an error, as Spark's own last step decides.
          if (value == null) target.update(ordinal, finish(null, false))
          else target.setDecimal(ordinal, value, result.precision)
        }
    }
  }
}
