package org.apache.spark.sql.muntin.execution.functions

import java.util

import org.apache.spark.sql.muntin.spark.Interpolation
import org.apache.spark.sql.types.Decimal

/** Sorted values, each with the number of rows that have it. */
private[muntin] final class CountedValues(values: Array[Double], ends: Array[Long])
    extends RankedValues {
  override def count: Long = if (ends.isEmpty) 0L else ends(ends.length - 1)

  override def apply(rank: Long): Double = values(index(rank))

  override def between(lower: Long, higher: Long, part: Double): Double = {
    val a = index(lower)
    val b = index(higher)
    if (a == b) values(a) else Interpolation(values(a), values(b), part)
  }

  /** Returns the first value whose rows end after `rank`. */
  private def index(rank: Long): Int = {
    val found = util.Arrays.binarySearch(ends, rank + 1)
    if (found >= 0) found else -found - 1
  }
}

private[muntin] object CountedValues {
  def apply(sorted: Iterator[(Any, Long)]): CountedValues = {
    val (values, counts) = sorted.toArray.unzip
    new CountedValues(values.map(double), counts.scanLeft(0L)(_ + _).tail)
  }

  private def double(value: Any): Double = value match {
    case d: Decimal => d.toJavaBigDecimal.doubleValue
    case n: Number => n.doubleValue
    case other => throw new IllegalArgumentException(s"$other is not a number")
  }
}
