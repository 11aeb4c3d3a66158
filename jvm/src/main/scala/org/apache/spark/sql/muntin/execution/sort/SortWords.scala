package org.apache.spark.sql.muntin.execution.sort

import java.nio.ByteOrder

import scala.annotation.switch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.exchange.Stripe
import org.apache.spark.sql.muntin.spark.TimeOfDay
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform

/**
 * One column of an order as an unsigned number: among two rows, the row with the lesser number
 * comes first, and equal values have equal numbers. The number of a null is undefined.
 *
 * For a string, bytes and a decimal of many digits the number is a prefix: values with equal
 * numbers may differ.
 */
private[execution] final class SortWord(val ordinal: Int, kind: Int, flip: Long) {

  /** Returns true if values with equal numbers may differ. */
  def isPrefix: Boolean = kind >= SortWord.OfBytes

  def apply(row: UnsafeRow): Long = flip ^ ((kind: @switch) match {
    case SortWord.OfLong => row.getLong(ordinal)
    case SortWord.OfInt => row.getInt(ordinal).toLong
    case SortWord.OfShort => row.getShort(ordinal).toLong
    case SortWord.OfByte => row.getByte(ordinal).toLong
    case SortWord.OfBoolean => if (row.getBoolean(ordinal)) 1L else 0L
    case SortWord.OfFloat => SortWord.signed(row.getFloat(ordinal).toDouble)
    case SortWord.OfDouble => SortWord.signed(row.getDouble(ordinal))
    case _ =>
      val field = row.getLong(ordinal)
      prefix(row.getBaseObject, row.getBaseOffset + (field >>> 32), field.toInt)
  })

  private def prefix(base: AnyRef, offset: Long, size: Int): Long =
    if (kind == SortWord.OfBytes) SortWord.prefixOfBytes(base, offset, size)
    else SortWord.prefixOfDecimal(base, offset, size)

  /** Returns true if a number determines the value, byte for byte. */
  def isExact: Boolean = kind == SortWord.OfLong || kind == SortWord.OfInt

  /** Returns the field of a row with the value of a number, which is exact. */
  def field(number: Long): Long =
    if (kind == SortWord.OfInt) (number ^ flip) & 0xffffffffL else number ^ flip

  /** Returns the number of a row of a stripe. */
  def apply(stripe: Stripe, row: Int): Long = flip ^ number(stripe, stripe.values(ordinal), row)

  private def number(stripe: Stripe, bytes: Array[Byte], row: Int): Long = {
    val start = Platform.BYTE_ARRAY_OFFSET.toLong
    (kind: @switch) match {
      case SortWord.OfLong => Platform.getLong(bytes, start + 8L * row)
      case SortWord.OfInt => Platform.getInt(bytes, start + 4L * row).toLong
      case SortWord.OfShort => Platform.getShort(bytes, start + 2L * row).toLong
      case SortWord.OfByte => Platform.getByte(bytes, start + row).toLong
      case SortWord.OfBoolean => if (Platform.getBoolean(bytes, start + row)) 1L else 0L
      case SortWord.OfFloat => SortWord.signed(Platform.getFloat(bytes, start + 4L * row).toDouble)
      case SortWord.OfDouble => SortWord.signed(Platform.getDouble(bytes, start + 8L * row))
      case _ =>
        val begin = stripe.start(ordinal, row)
        prefix(bytes, start + begin, stripe.end(ordinal, row) - begin)
    }
  }

  /** Writes the numbers of rows of a stripe to `target`, from `at` on. */
  def write(stripe: Stripe, from: Int, rows: Int, target: Array[Long], at: Int): Unit = {
    val bytes = stripe.values(ordinal)
    var i = 0
    while (i < rows) {
      target(at + i) = flip ^ number(stripe, bytes, from + i)
      i += 1
    }
  }
}

private[execution] object SortWord {
  private final val OfLong = 0
  private final val OfInt = 1
  private final val OfShort = 2
  private final val OfByte = 3
  private final val OfBoolean = 4
  private final val OfFloat = 5
  private final val OfDouble = 6
  private final val OfBytes = 7
  private final val OfWide = 8

  def apply(ordinal: Int, dataType: DataType, descending: Boolean): Option[SortWord] =
    kind(dataType).map(new SortWord(ordinal, _, if (descending) Long.MaxValue else Long.MinValue))

  /** Returns the column as a number, or as a prefix, if the type has one. */
  def orPrefix(ordinal: Int, dataType: DataType, descending: Boolean): Option[SortWord] =
    apply(ordinal, dataType, descending).orElse {
      prefixKind(dataType).map {
        case OfBytes => new SortWord(ordinal, OfBytes, if (descending) -1L else 0L)
        case wide => new SortWord(ordinal, wide, if (descending) Long.MaxValue else Long.MinValue)
      }
    }

  private def prefixKind(dataType: DataType): Option[Int] = dataType match {
    // Strings of other collations are not ordered by their bytes.
    case StringType | BinaryType => Some(OfBytes)
    case d: DecimalType if d.precision > Decimal.MAX_LONG_DIGITS => Some(OfWide)
    case _ => None
  }

  private val isLittleEndian = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN

  /** Returns the first eight bytes, the first of them the highest, padded with zeros. */
  private[sort] def prefixOfBytes(base: AnyRef, offset: Long, size: Int): Long =
    if (size >= 8) {
      val word = Platform.getLong(base, offset)
      if (isLittleEndian) java.lang.Long.reverseBytes(word) else word
    } else {
      var word = 0L
      var i = 0
      while (i < size) {
        word |= (Platform.getByte(base, offset + i) & 0xffL) << (56 - 8 * i)
        i += 1
      }
      word
    }

  /**
   * Returns a prefix of an integer of up to 16 bytes, the highest byte first: the
   * number of bits of its magnitude, then the 52 bits after the first; negative for negative
   * numbers.
   */
  private[sort] def prefixOfDecimal(base: AnyRef, offset: Long, size: Int): Long = {
    var high = if (size > 0 && Platform.getByte(base, offset) < 0) -1L else 0L
    var low = high
    val sign = high
    var i = 0
    while (i < size) {
      high = (high << 8) | (low >>> 56)
      low = (low << 8) | (Platform.getByte(base, offset + i) & 0xffL)
      i += 1
    }
    if (sign < 0L) {
      low = -low
      high = ~high + (if (low == 0L) 1L else 0L)
    }
    val zeros =
      if (high != 0L) java.lang.Long.numberOfLeadingZeros(high)
      else 64 + java.lang.Long.numberOfLeadingZeros(low)
    if (zeros == 128) 0L
    else {
      // The first bit is at the top, and is shifted out.
      val top =
        if (zeros >= 64) low << (zeros - 64)
        else if (zeros == 0) high
        else (high << zeros) | (low >>> (64 - zeros))
      val magnitude = ((128L - zeros) << 52) | ((top << 1) >>> 12)
      (magnitude ^ sign) - sign
    }
  }

  /** Returns true if all equal values of the type have the same bytes in a field of a row. */
  def isExact(dataType: DataType): Boolean =
    kind(dataType).exists(k => k != OfFloat && k != OfDouble)

  /**
   * Returns true if a field of a row holds the values as longs, which are equal if the values are.
   */
  def isLong(dataType: DataType): Boolean = kind(dataType).contains(OfLong)

  private def kind(dataType: DataType): Option[Int] = dataType match {
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType | TimeOfDay() =>
      Some(OfLong)
    case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => Some(OfLong)
    case IntegerType | DateType | _: YearMonthIntervalType => Some(OfInt)
    case ShortType => Some(OfShort)
    case ByteType => Some(OfByte)
    case BooleanType => Some(OfBoolean)
    case FloatType => Some(OfFloat)
    case DoubleType => Some(OfDouble)
    case _ => None
  }

  /** Both zeros are equal, and all NaNs are equal and above all numbers, as in Spark. */
  private def signed(value: Double): Long = {
    val bits = java.lang.Double.doubleToLongBits(value + 0.0)
    bits ^ ((bits >> 63) >>> 1)
  }
}

/**
 * Several columns of rows as numbers, row by row; bit i of `missing` is set if column i is null.
 */
private[execution] final class SortWords(
    val columns: Array[SortWord],
    nullsFirst: Seq[Boolean],
    val nullable: Boolean
) {
  def size: Int = columns.length

  /**
   * Returns true if the last is a prefix: rows with equal numbers must be compared from there on.
   */
  def endInPrefix: Boolean = columns.lastOption.exists(_.isPrefix)

  /** Bit i is set if nulls are first in column i. */
  val missingFirst: Int =
    nullsFirst.zipWithIndex.collect { case (true, i) => 1 << i }.sum

  def missing(row: UnsafeRow): Int = missing(row, size)

  /** Like `missing`, for only the first columns. */
  def missing(row: UnsafeRow, first: Int): Int = {
    var missing = 0
    var i = 0
    while (i < first) {
      if (row.isNullAt(columns(i).ordinal)) missing |= 1 << i
      i += 1
    }
    missing
  }

  /**
   * Like `missing`, for rows of a stripe, written to `target` from `at` on. Returns the bits that
   * are set for any row.
   */
  def missing(stripe: Stripe, from: Int, rows: Int, target: Array[Byte], at: Int): Int = {
    var any = 0
    var column = 0
    while (column < columns.length) {
      val nulls = stripe.nulls(columns(column).ordinal)
      if (nulls != null) {
        var i = 0
        while (i < rows) {
          if (Stripe.isSet(nulls, from + i)) {
            target(at + i) = (target(at + i) | 1 << column).toByte
            any |= 1 << column
          }
          i += 1
        }
      }
      column += 1
    }
    any
  }
}

object SortWords {

  /** As many columns as a byte has bits. */
  private val MostColumns = 8

  /** Returns the numbers of an order over the columns of rows; None if a column is not a number. */
  def apply(order: Seq[SortOrder]): Option[SortWords] = of(order, SortWord(_, _, _))

  /** Returns the numbers of an order over the columns of an input. */
  def apply(order: Seq[SortOrder], input: Seq[Attribute]): Option[SortWords] =
    apply(order.map(BindReferences.bindReference(_, input)))

  /**
   * Returns the numbers up to the first prefix: later columns cannot order rows with equal
   * prefixes.
   */
  def upToPrefix(order: Seq[SortOrder]): Option[SortWords] = {
    val (numbers, rest) = order.span(o => SortWord(0, o.dataType, descending = false).isDefined)
    of(numbers ++ rest.take(1), SortWord.orPrefix(_, _, _))
  }

  private def of(
      order: Seq[SortOrder],
      word: (Int, DataType, Boolean) => Option[SortWord]
  ): Option[SortWords] = {
    val columns = order.map {
      case SortOrder(BoundReference(ordinal, dataType, _), direction, _, _) =>
        word(ordinal, dataType, direction == Descending)
      case _ => None
    }
    if (order.size > MostColumns || columns.contains(None)) None
    else {
      Some(
        new SortWords(
          columns.flatten.toArray,
          order.map(_.nullOrdering == NullsFirst),
          order.exists(_.nullable)
        )
      )
    }
  }

  /** Returns true if rows can be sorted in this way. */
  def support(order: Seq[SortOrder]): Boolean = order.size <= MostColumns &&
    order.forall(o => SortWord.orPrefix(0, o.dataType, descending = false).isDefined)
}
