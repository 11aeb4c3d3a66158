package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.muntin.execution.sort.SortWord
import org.apache.spark.sql.types._

/** The times of both sides of an as-of join, which have one type and are not null. */
private[asof] abstract class AsOfTimes {

  /** Compares the time of a row of the left side with the time of a row of the right side. */
  def compare(left: UnsafeRow, right: UnsafeRow): Int

  /**
   * Returns true if the row of the right side at or before the left row is as near as the row after
   * it.
   */
  def isBeforeAsNear(before: UnsafeRow, left: UnsafeRow, after: UnsafeRow): Boolean
}

private[asof] object AsOfTimes {
  def apply(
      left: Attribute,
      leftOutput: Seq[Attribute],
      right: Attribute,
      rightOutput: Seq[Attribute]
  ): AsOfTimes = {
    val ofLeft = leftOutput.indexWhere(_.exprId == left.exprId)
    val ofRight = rightOutput.indexWhere(_.exprId == right.exprId)
    def word(ordinal: Int) = SortWord(ordinal, left.dataType, descending = false)
    left.dataType match {
      case DoubleType => new Floating(word(ofLeft).get, word(ofRight).get, ofLeft, ofRight)
      case FloatType => new Floating(word(ofLeft).get, word(ofRight).get, ofLeft, ofRight) {
          override protected def value(row: UnsafeRow, ordinal: Int): Double =
            row.getFloat(ordinal).toDouble
        }
      case d: DecimalType if word(ofLeft).isEmpty => new Decimals(d, ofLeft, ofRight)
      case _ => new Words(word(ofLeft).get, word(ofRight).get)
    }
  }

  /** Unsigned numbers: for three in their order, both differences fit 64 bits. */
  private final class Words(left: SortWord, right: SortWord) extends AsOfTimes {
    override def compare(l: UnsafeRow, r: UnsafeRow): Int =
      java.lang.Long.compareUnsigned(left(l), right(r))

    override def isBeforeAsNear(before: UnsafeRow, l: UnsafeRow, after: UnsafeRow): Boolean = {
      val time = left(l)
      java.lang.Long.compareUnsigned(time - right(before), right(after) - time) <= 0
    }
  }

  private class Floating(left: SortWord, right: SortWord, ofLeft: Int, ofRight: Int)
      extends AsOfTimes {
    protected def value(row: UnsafeRow, ordinal: Int): Double = row.getDouble(ordinal)

    override def compare(l: UnsafeRow, r: UnsafeRow): Int =
      java.lang.Long.compareUnsigned(left(l), right(r))

    override def isBeforeAsNear(before: UnsafeRow, l: UnsafeRow, after: UnsafeRow): Boolean = {
      val time = value(l, ofLeft)
      time - value(before, ofRight) <= value(after, ofRight) - time
    }
  }

  private final class Decimals(ofType: DecimalType, ofLeft: Int, ofRight: Int) extends AsOfTimes {
    private def value(row: UnsafeRow, ordinal: Int): java.math.BigDecimal =
      row.getDecimal(ordinal, ofType.precision, ofType.scale).toJavaBigDecimal

    override def compare(l: UnsafeRow, r: UnsafeRow): Int =
      value(l, ofLeft).compareTo(value(r, ofRight))

    override def isBeforeAsNear(before: UnsafeRow, l: UnsafeRow, after: UnsafeRow): Boolean = {
      val time = value(l, ofLeft)
      time.subtract(value(before, ofRight)).compareTo(value(after, ofRight).subtract(time)) <= 0
    }
  }
}
