package org.apache.spark.sql.muntin.execution.functions

import java.math.{BigDecimal => JBigDecimal, BigInteger}

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.sums.{DecimalSum, ExactSum, IntegerSum}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, DoubleType, FloatType}

/** The accumulators for sums, by type. */
object Sums {

  /** What the accumulators for sums of a type can do. */
  def abilities(dataType: DataType): Abilities = dataType match {
    case FloatType | DoubleType => ExactSum.abilities
    case d: DecimalType if d.precision > Decimal.MAX_LONG_DIGITS => DecimalSum.abilities
    case _ => IntegerSum.abilities
  }

  /** The same, with the name `rounded` for sums of doubles. */
  def abilities(dataType: DataType, rounded: String): Abilities = {
    val sums = abilities(dataType)
    dataType match {
      case FloatType | DoubleType => sums.called(s"${sums.name}, $rounded")
      case _ => sums
    }
  }

  def exact(frame: FrameBuilder, input: Expression): ExactSum =
    frame.accumulator(("sum", input.canonicalized)) {
      new ExactSum(frame.column(input).asInstanceOf[DoubleColumn])
    }

  def integer(frame: FrameBuilder, input: Expression): IntegerSum =
    frame.accumulator(("sum", input.canonicalized)) {
      new IntegerSum(frame.column(input).asInstanceOf[LongColumn])
    }

  def decimal(frame: FrameBuilder, input: Expression): UnscaledSum =
    frame.column(input) match {
      case longs: LongColumn =>
        val sum = frame.accumulator(("sum", input.canonicalized))(new IntegerSum(longs))
        new UnscaledSum {
          override def count: Long = sum.count
          override def total: BigInteger = sum.bigInteger
        }
      case wide: Int128Column =>
        val sum = frame.accumulator(("sum", input.canonicalized))(new DecimalSum(wide))
        new UnscaledSum {
          override def count: Long = sum.count
          override def total: BigInteger = sum.bigInteger
        }
      case other: Column => throw new IllegalStateException(s"a decimal in ${other.getClass}")
    }
}

/** The exact sum of decimals, whatever their width. */
abstract class UnscaledSum {
  def count: Long
  def total: BigInteger

  /** The sum as a decimal of this type, or null where it does not fit. */
  final def decimal(dataType: DecimalType): Decimal = {
    val value = new JBigDecimal(total, dataType.scale)
    if (value.precision > dataType.precision) null
    else Decimal(value, dataType.precision, dataType.scale)
  }
}
