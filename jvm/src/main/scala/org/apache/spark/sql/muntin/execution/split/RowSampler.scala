package org.apache.spark.sql.muntin.execution.split

import java.util.function.{BooleanSupplier, Consumer}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.spark.FastRandom

/** Rows drawn of a task's, with equal chances, and of how many they were drawn. */
final case class RowSample(count: Long, rows: Array[UnsafeRow])

/**
 * Draws up to `size` rows of as many as pass. How many pass it by until the next is drawn is known
 * beforehand (Li's algorithm L), so that a row that is not drawn costs a comparison.
 */
final class RowSampler(size: Int, seed: Long) extends BooleanSupplier with Consumer[UnsafeRow] {
  private val drawn = new Array[UnsafeRow](size)
  private val random = FastRandom(seed)
  // Up to the last row that was drawn.
  private var passed = 0L
  // Rows between that and the next, and how many of these are still to pass.
  private var gap = 0L
  private var left = 0L
  private var filled = 0
  // As the largest of `size` random numbers, of which the smallest is replaced by each row that is
  // drawn.
  private var bound = 1.0

  /** A row passes. Whether it is to be drawn. */
  override def getAsBoolean(): Boolean = {
    left -= 1L
    left < 0L
  }

  /** Draws it. */
  override def accept(row: UnsafeRow): Unit = {
    if (filled < size) {
      drawn(filled) = row.copy()
      filled += 1
    } else drawn(random.nextInt(size)) = row.copy()
    passed += gap + 1L
    gap = if (filled < size) 0L else nextGap()
    left = gap
  }

  def sample: RowSample = RowSample(passed + gap - left, drawn.take(filled))

  private def nextGap(): Long = {
    bound *= math.exp(math.log(positive()) / size)
    val gap = math.log(positive()) / math.log1p(-bound)
    // Above all numbers of rows, where so many have passed that none is drawn any more.
    math.min(gap, (1L << 60).toDouble).toLong
  }

  private def positive(): Double = 1.0 - random.nextDouble()
}
