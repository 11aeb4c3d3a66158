package org.apache.spark.sql.muntin.execution.functions

import java.math.{BigDecimal => JBigDecimal}

import org.apache.spark.sql.muntin.execution.rows.WideDecimalValue
import io.muntin.kernel.columns.{DoubleColumn, Int128Column}
import io.muntin.kernel.ranks.{DoubleRanks, LongRanks, PositionRanks, Ranks}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.types.{PhysicalDataType, PhysicalNumericType}
import org.apache.spark.sql.muntin.spark.Interpolation
import org.apache.spark.sql.types._

/**
 * The values in a frame as doubles, by rank: the rank of a value is the number of values before it.
 */
private[muntin] abstract class RankedValues {
  def count: Long

  def apply(rank: Long): Double

  /**
   * Returns the value of the rank `lower`, if the value of the rank `higher` equals it; else the
   * value at `part` of the distance between them. Values that are equal as doubles may still
   * differ.
   */
  def between(lower: Long, higher: Long, part: Double): Double

  final def reversed: RankedValues = new RankedValues.Reversed(this)
}

private[muntin] object RankedValues {

  /**
   * Returns true for the types that Spark converts to doubles here: numbers, and types that it
   * stores as numbers.
   */
  def supports(dataType: DataType): Boolean =
    PhysicalDataType(dataType).isInstanceOf[PhysicalNumericType]

  def of(frame: FrameBuilder, input: Expression): RankedValues = {
    val ranks = frame.accumulator[Ranks](("ranks", input.canonicalized)) {
      Ranks(frame.memory, frame.column(input), frame.evicts)
    }
    (ranks, input.dataType) match {
      case (doubles: DoubleRanks, _) => new Doubles(doubles)
      case (longs: LongRanks, d: DecimalType) => new Decimals(longs, d.scale)
      case (longs: LongRanks, _) => new Longs(longs)
      case (wide: PositionRanks, d: DecimalType) => new WideDecimals(wide, d.scale)
      case (other, dataType) =>
        throw new IllegalStateException(s"$dataType in ${other.getClass}")
    }
  }

  private final class Doubles(ranks: DoubleRanks) extends RankedValues {
    override def count: Long = ranks.count

    override def apply(rank: Long): Double = ranks(rank)

    override def between(lower: Long, higher: Long, part: Double): Double = {
      val a = ranks(lower)
      val b = ranks(higher)
      if (DoubleColumn.compare(a, b) == 0) a else Interpolation(a, b, part)
    }
  }

  private final class Longs(ranks: LongRanks) extends RankedValues {
    override def count: Long = ranks.count

    override def apply(rank: Long): Double = ranks(rank).toDouble

    override def between(lower: Long, higher: Long, part: Double): Double = {
      val a = ranks(lower)
      val b = ranks(higher)
      if (a == b) a.toDouble else Interpolation(a.toDouble, b.toDouble, part)
    }
  }

  private final class Decimals(ranks: LongRanks, scale: Int) extends RankedValues {
    override def count: Long = ranks.count

    override def apply(rank: Long): Double = double(ranks(rank))

    override def between(lower: Long, higher: Long, part: Double): Double = {
      val a = ranks(lower)
      val b = ranks(higher)
      if (a == b) double(a) else Interpolation(double(a), double(b), part)
    }

    private def double(unscaled: Long): Double = JBigDecimal.valueOf(unscaled, scale).doubleValue
  }

  private final class WideDecimals(ranks: PositionRanks, scale: Int) extends RankedValues {
    private val values = ranks.values.asInstanceOf[Int128Column]

    override def count: Long = ranks.count

    override def apply(rank: Long): Double = double(ranks(rank))

    override def between(lower: Long, higher: Long, part: Double): Double = {
      val a = ranks(lower)
      val b = ranks(higher)
      if (values.compare(a, b) == 0) double(a) else Interpolation(double(a), double(b), part)
    }

    private def double(position: Long): Double = {
      val unscaled = WideDecimalValue.toBigInteger(values.high(position), values.low(position))
      new JBigDecimal(unscaled, scale).doubleValue
    }
  }

  private final class Reversed(values: RankedValues) extends RankedValues {
    override def count: Long = values.count

    override def apply(rank: Long): Double = values(opposite(rank))

    override def between(lower: Long, higher: Long, part: Double): Double =
      values.between(opposite(lower), opposite(higher), part)

    private def opposite(rank: Long): Long = values.count - 1 - rank
  }
}
