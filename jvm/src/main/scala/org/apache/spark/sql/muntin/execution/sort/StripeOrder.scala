package org.apache.spark.sql.muntin.execution.sort

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Descending, NullsFirst, SortOrder}
import org.apache.spark.sql.muntin.execution.exchange.Stripe
import org.apache.spark.sql.types.DecimalType

/** Compares rows of stripes by some of their columns, in place. */
private[sort] final class StripeOrder(columns: Array[ColumnOrder]) {
  def compare(one: Stripe, row: Int, other: Stripe, otherRow: Int): Int = {
    var order = 0
    var i = 0
    while (order == 0 && i < columns.length) {
      order = columns(i).compare(one, row, other, otherRow)
      i += 1
    }
    order
  }
}

private[sort] object StripeOrder {

  /** Returns the order by these columns. Each has a SortWord or a prefix. */
  def apply(order: Seq[SortOrder]): StripeOrder =
    new StripeOrder(order.map(ColumnOrder(_)).toArray)
}

/** The order of the values of one column, and of its nulls. */
private[sort] abstract class ColumnOrder(
    ordinal: Int,
    isDescending: Boolean,
    nullsFirst: Boolean
) {
  protected def compareValues(one: Stripe, row: Int, other: Stripe, otherRow: Int): Int

  final def compare(one: Stripe, row: Int, other: Stripe, otherRow: Int): Int = {
    val isNull = one.isNull(ordinal, row)
    if (isNull != other.isNull(ordinal, otherRow)) { if (isNull == nullsFirst) -1 else 1 }
    else if (isNull) 0
    else {
      val order = compareValues(one, row, other, otherRow)
      if (isDescending) -order else order
    }
  }
}

private object ColumnOrder {
  def apply(order: SortOrder): ColumnOrder = order match {
    case SortOrder(BoundReference(ordinal, dataType, _), direction, nulls, _) =>
      val (isDescending, nullsFirst) = (direction == Descending, nulls == NullsFirst)
      SortWord(ordinal, dataType, descending = false) match {
        case Some(word) => new OfNumbers(word, ordinal, isDescending, nullsFirst)
        case None if dataType.isInstanceOf[DecimalType] =>
          new OfDecimals(ordinal, isDescending, nullsFirst)
        case None => new OfBytes(ordinal, isDescending, nullsFirst)
      }
    case other => throw new IllegalStateException(s"no column: ${other.sql}")
  }

  private final class OfNumbers(word: SortWord, ordinal: Int, descending: Boolean, first: Boolean)
      extends ColumnOrder(ordinal, descending, first) {
    override def compareValues(one: Stripe, row: Int, other: Stripe, otherRow: Int): Int =
      java.lang.Long.compareUnsigned(word(one, row), word(other, otherRow))
  }

  /** Orders strings and binaries. */
  private final class OfBytes(ordinal: Int, descending: Boolean, first: Boolean)
      extends ColumnOrder(ordinal, descending, first) {
    override def compareValues(one: Stripe, row: Int, other: Stripe, otherRow: Int): Int =
      Arrays.compareUnsigned(
        one.values(ordinal),
        one.start(ordinal, row),
        one.end(ordinal, row),
        other.values(ordinal),
        other.start(ordinal, otherRow),
        other.end(ordinal, otherRow)
      )
  }

  /** Orders unscaled values in as few bytes as each takes, the highest first. */
  private final class OfDecimals(ordinal: Int, descending: Boolean, first: Boolean)
      extends ColumnOrder(ordinal, descending, first) {
    override def compareValues(one: Stripe, row: Int, other: Stripe, otherRow: Int): Int = {
      val bytes = one.values(ordinal)
      val start = one.start(ordinal, row)
      val end = one.end(ordinal, row)
      val otherBytes = other.values(ordinal)
      val otherStart = other.start(ordinal, otherRow)
      val otherEnd = other.end(ordinal, otherRow)
      val isNegative = bytes(start) < 0
      if (isNegative != otherBytes(otherStart) < 0) { if (isNegative) -1 else 1 }
      else if (end - start != otherEnd - otherStart) {
        if (isNegative == end - start > otherEnd - otherStart) -1 else 1
      } else Arrays.compareUnsigned(bytes, start, end, otherBytes, otherStart, otherEnd)
    }
  }
}
