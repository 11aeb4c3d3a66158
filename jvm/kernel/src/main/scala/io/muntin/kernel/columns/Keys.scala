package io.muntin.kernel.columns

/**
 * The row times of a partition, for RANGE: compares the key of a row with the bound of another row,
 * which is that row's key plus an offset. The bound of a row is computed once, at its first
 * comparison.
 */
abstract class Keys {

  /**
   * Compares the key at `position` with the bound of the row `current`, in the order of the rows.
   */
  def compare(position: Long, current: Long): Int

  def startPartition(): Unit = ()
}

/**
 * Numbers the rows of a partition by peers: rows with equal row times have equal numbers. Used for
 * CURRENT ROW under RANGE and, with an offset, for GROUPS: the bound is `offset` groups of peers
 * after the current row's.
 */
final class PeerKeys(peers: LongColumn, offset: Long = 0L) extends Keys {
  override def compare(position: Long, current: Long): Int =
    java.lang.Long.compare(peers(position), peers(current) + offset)
}

/**
 * Keys with values: the position of nulls, and the direction. The bound of a null is null, which
 * reaches only its peers, the other nulls.
 */
abstract class ValueKeys(column: Column, descending: Boolean, nullsFirst: Boolean) extends Keys {
  private var boundOf = -1L

  final override def startPartition(): Unit = boundOf = -1L

  final override def compare(position: Long, current: Long): Int = {
    val left = column.isNull(position)
    val right = column.isNull(current)
    if (left || right) {
      if (left && right) 0
      else if (left == nullsFirst) -1
      else 1
    } else {
      if (current != boundOf) {
        setBound(current)
        boundOf = current
      }
      val c = compareToBound(position)
      if (descending) -c else c
    }
  }

  protected def setBound(current: Long): Unit
  protected def compareToBound(position: Long): Int
}

/**
 * Keys that are longs, with a constant offset. For a sum outside [min, max], the values of the
 * key's type, `overflow` raises Spark's error or wraps as Spark does.
 */
final class LongKeys(
    column: LongColumn,
    descending: Boolean,
    nullsFirst: Boolean,
    offset: Long,
    min: Long,
    max: Long,
    overflow: LongKeys.Overflow
) extends ValueKeys(column, descending, nullsFirst) {
  private var bound = 0L

  override protected def setBound(current: Long): Unit = {
    val key = column(current)
    val sum = key + offset
    val wrapped = ((key ^ sum) & (offset ^ sum)) < 0
    bound = if (wrapped || sum < min || sum > max) overflow(key) else sum
  }

  override protected def compareToBound(position: Long): Int =
    java.lang.Long.compare(column(position), bound)
}

object LongKeys {
  trait Overflow {
    def apply(key: Long): Long
  }
}

/** Keys that are doubles or floats (`single`: the sum is a float). NaN reaches only NaN. */
final class DoubleKeys(
    column: DoubleColumn,
    descending: Boolean,
    nullsFirst: Boolean,
    offset: Double,
    single: Boolean
) extends ValueKeys(column, descending, nullsFirst) {
  private var bound = 0.0

  override protected def setBound(current: Long): Unit = {
    val key = column(current)
    bound = if (single) (key.toFloat + offset.toFloat).toDouble else key + offset
  }

  override protected def compareToBound(position: Long): Int =
    DoubleColumn.compare(column(position), bound)
}

/** GROUPS with an offset per row: the number of groups of peers between the row and its bound. */
final class OffsetPeers(peers: LongColumn, offsets: LongColumn, sign: Int) extends Keys {
  override def compare(position: Long, current: Long): Int = {
    val apart = peers(position) - peers(current)
    java.lang.Long.compare(apart, sign * offsets(current))
  }
}

/** Keys that are longs, with an offset per row. A sum that overflows a long is beyond all keys. */
final class OffsetLongs(
    column: LongColumn,
    descending: Boolean,
    nullsFirst: Boolean,
    offsets: LongColumn,
    sign: Int
) extends ValueKeys(column, descending, nullsFirst) {
  private var bound = 0L
  // 1 if the bound is above all longs, -1 if it is below all longs.
  private var beyond = 0

  override protected def setBound(current: Long): Unit = {
    val key = column(current)
    val offset = sign * offsets(current)
    bound = key + offset
    beyond = if (((key ^ bound) & (offset ^ bound)) < 0L) java.lang.Long.signum(offset) else 0
  }

  override protected def compareToBound(position: Long): Int =
    if (beyond != 0) -beyond else java.lang.Long.compare(column(position), bound)
}

/**
 * Keys that are doubles, with an offset per row. An infinite offset reaches all keys except NaN;
 * NaN reaches only NaN.
 */
final class OffsetDoubles(
    column: DoubleColumn,
    descending: Boolean,
    nullsFirst: Boolean,
    offsets: DoubleColumn,
    sign: Int
) extends ValueKeys(column, descending, nullsFirst) {
  private var bound = 0.0

  override protected def setBound(current: Long): Unit = {
    val key = column(current)
    val offset = sign * offsets(current)
    bound =
      if (java.lang.Double.isInfinite(offset) && !java.lang.Double.isNaN(key)) offset
      else key + offset
  }

  override protected def compareToBound(position: Long): Int =
    DoubleColumn.compare(column(position), bound)
}

/**
 * Keys of any type, with the bounds in a separate column. A null bound of a non-null key is beyond
 * all keys, on the side of `sign`.
 */
final class ComputedBounds(
    column: Column,
    descending: Boolean,
    nullsFirst: Boolean,
    bounds: Column,
    sign: Int
) extends ValueKeys(column, descending, nullsFirst) {
  private var of = 0L

  override protected def setBound(current: Long): Unit = of = current

  override protected def compareToBound(position: Long): Int =
    if (bounds.isNull(of)) -sign else column.compareTo(position, bounds, of)
}
