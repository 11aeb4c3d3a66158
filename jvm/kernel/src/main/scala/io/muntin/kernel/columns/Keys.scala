package io.muntin.kernel.columns

/**
 * The row times of a partition, for RANGE: compares the key of one row with the bound of another,
 * which is that row's key plus an offset. The bound of a row is computed when it is first compared,
 * once per row.
 */
abstract class Keys {

  /** The key at `position` against the bound of the row `current`, in the order of the rows. */
  def compare(position: Long, current: Long): Int

  def startPartition(): Unit = ()
}

/**
 * Numbers the rows of a partition by peers: equal number, equal row time. CURRENT ROW under RANGE;
 * with an offset, GROUPS: so many groups of peers behind the current row's.
 */
final class PeerKeys(peers: LongColumn, offset: Long = 0L) extends Keys {
  override def compare(position: Long, current: Long): Int =
    java.lang.Long.compare(peers(position), peers(current) + offset)
}

/**
 * Where nulls stand, and which way the values run. A null's bound is null: it reaches its peers,
 * the other nulls, and nothing else.
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
 * Keys that are longs, with an offset that is added. A sum outside [min, max], the values of the
 * key's type, is left to `overflow`, which raises Spark's error or wraps as Spark does.
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

/** Keys that are doubles, or floats (`single`: the sum is a float's). NaN reaches NaN only. */
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
