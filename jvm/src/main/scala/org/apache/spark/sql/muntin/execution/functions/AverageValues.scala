package org.apache.spark.sql.muntin.execution.functions

import java.math.{BigDecimal => JBigDecimal, RoundingMode}

import org.apache.spark.sql.muntin.execution.rows.{DoubleOutput, Output, ValueType}
import io.muntin.kernel.Abilities
import io.muntin.kernel.sums.WholeSum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.Average
import org.apache.spark.sql.types._

/** Plans avg and try_avg: the exact sum over the count, rounded once. */
final case class AverageValues(average: Average, input: Expression) extends AggregatePlan {
  override def takesByValue: Boolean = true

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(Sums.abilities(average.child.dataType, "correctly rounded quotient"))

  override def build(frame: FrameBuilder, ordinal: Int): Output = average.child.dataType match {
    case FloatType | DoubleType =>
      val exact = Sums.exact(frame, input)
      new DoubleOutput(ordinal) {
        override protected def isNull: Boolean = exact.isEmpty
        override protected def value: Double = exact.mean
      }
    case _: DecimalType => decimals(Sums.whole(frame, input), ordinal)
    case _: AnsiIntervalType =>
      val exact = Sums.integer(frame, input)
      val writer = ValueType.longWriter(average.dataType, ordinal)
      new Output {
        override def write(target: InternalRow): Unit =
          if (exact.isEmpty) target.setNullAt(ordinal)
          else writer.write(exact.divideHalfUp(exact.count), target)
      }
    case _ =>
      val exact = Sums.integer(frame, input)
      new DoubleOutput(ordinal) {
        override protected def isNull: Boolean = exact.isEmpty
        override protected def value: Double = exact.mean
      }
  }

  private def decimals(exact: WholeSum, ordinal: Int): Output = {
    val result = average.dataType.asInstanceOf[DecimalType]
    val summed = average.sumDataType.asInstanceOf[DecimalType]
    new Output {
      private lazy val finish = new SparkFinish(average)

      override def write(target: InternalRow): Unit =
        if (exact.isEmpty) target.setNullAt(ordinal)
        else {
          val sum = Sums.decimal(exact, summed)
          val value = if (sum == null) quotient else finish(sum, exact.count).asInstanceOf[Decimal]
          if (value == null) target.update(ordinal, null)
          else target.setDecimal(ordinal, value, result.precision)
        }

      // The sum may not fit Spark's type of sums; the average of the values always fits its type.
      private def quotient: Decimal = {
        val sum = new JBigDecimal(exact.bigInteger, summed.scale)
        val mean = sum.divide(JBigDecimal.valueOf(exact.count), result.scale, RoundingMode.HALF_UP)
        if (mean.precision > result.precision) finish(null, exact.count).asInstanceOf[Decimal]
        else Decimal(mean, result.precision, result.scale)
      }
    }
  }
}
