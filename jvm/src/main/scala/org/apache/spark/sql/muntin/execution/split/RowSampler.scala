package org.apache.spark.sql.muntin.execution.split

import java.util.function.{BooleanSupplier, Consumer}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.spark.FastRandom

/** Rows drawn, with equal chances, of the `count` rows of one task. */
final case class RowSample(count: Long, rows: Array[UnsafeRow])

/**
 * Draws up to `size` of the rows that pass. Li's algorithm L: when a row is drawn, it is known how
 * many rows pass until the next is drawn; so a row that is not drawn costs one comparison.
 */
final class RowSampler(size: Int, seed: Long) extends BooleanSupplier with Consumer[UnsafeRow] {
  private val drawn = new Array[UnsafeRow](size)
  private val random = FastRandom(seed)
  // Rows that have passed, up to the last row that was drawn.
  private var passed = 0L
  // How many rows pass between the last row that was drawn and the next, and how many of them are
  // left.
  private var gap = 0L
  private var left = 0L
  private var filled = 0
  // Distributed as the largest of `size` random numbers, of which each drawn row replaces the
  // smallest.
  private var bound = 1.0

  /** A row passes: whether it is to be drawn. */
  override def getAsBoolean(): Boolean = {
    left -= 1L
    left < 0L
  }

  /** Draws the row that has just passed. */
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
    // So large a gap that no further row is drawn.
    math.min(gap, (1L << 60).toDouble).toLong
  }

  private def positive(): Double = 1.0 - random.nextDouble()
}
