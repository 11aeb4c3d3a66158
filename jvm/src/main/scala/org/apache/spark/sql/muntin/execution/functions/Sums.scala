package org.apache.spark.sql.muntin.execution.functions

import java.math.{BigDecimal => JBigDecimal}

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.sums.{DecimalSum, ExactSum, ExactSums, IntegerSum, Moments, WholeSum}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, DoubleType, FloatType}

/** Makes the accumulators for sums, by type. */
object Sums {

  /** Returns the abilities of the accumulators for sums of a type. */
  def abilities(dataType: DataType): Abilities = dataType match {
    case FloatType | DoubleType => ExactSum.abilities
    case d: DecimalType if d.precision > Decimal.MAX_LONG_DIGITS => DecimalSum.abilities
    case _ => IntegerSum.abilities
  }

  /** Returns these abilities, with the name `rounded` for sums of doubles. */
  def abilities(dataType: DataType, rounded: String): Abilities = {
    val sums = abilities(dataType)
    dataType match {
      case FloatType | DoubleType => sums.withName(s"${sums.name}, $rounded")
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

  def whole(frame: FrameBuilder, input: Expression): WholeSum = frame.column(input) match {
    case wide: Int128Column =>
      frame.accumulator(("sum", input.canonicalized))(new DecimalSum(wide))
    case _ => integer(frame, input)
  }

  /** Returns the sum of an input of any type. */
  def of(frame: FrameBuilder, input: Expression): ExactSums = frame.column(input) match {
    case _: DoubleColumn => exact(frame, input)
    case _ => whole(frame, input)
  }

  def moments(frame: FrameBuilder, input: Expression, order: Int): Moments =
    frame.accumulator(("moments", input.canonicalized, order)) {
      new Moments(frame.column(input).asInstanceOf[DoubleColumn], order)
    }

  /** Returns a sum of unscaled values as a decimal of this type, or null if it does not fit. */
  def decimal(sum: WholeSum, dataType: DecimalType): Decimal = {
    val value = new JBigDecimal(sum.bigInteger, dataType.scale)
    if (value.precision > dataType.precision) null
    else Decimal(value, dataType.precision, dataType.scale)
  }
}
