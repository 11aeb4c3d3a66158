package org.apache.spark.sql.muntin.execution.split

import java.util.function.{BooleanSupplier, Consumer}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.spark.FastRandom

/** Rows drawn, with equal chances, of the `count` rows of one task. */
final case class RowSample(count: Long, rows: Array[UnsafeRow])

/**
 * Draws up to `most` of the rows that pass. It uses Li's algorithm L: when a row is drawn, the
 * number of rows until the next drawn row is known. So a row that is not drawn costs one
 * comparison.
 *
 * If rows are large, fewer are drawn: the sample has at most `mostBytes` bytes. If a single row is
 * larger, the sample is empty.
 *
 * Guarded by RowSamplerSuite.
 */
final class RowSampler(most: Int, mostBytes: Long, seed: Long)
    extends BooleanSupplier
    with Consumer[UnsafeRow] {
  private val sampled = new Array[UnsafeRow](most)
  private var size = most
  private var bytes = 0L
  private val random = FastRandom(seed)
  // Rows that have passed, up to the last row that was drawn.
  private var passed = 0L
  // How many rows are between the last drawn row and the next, and how many of them are left.
  private var gap = 0L
  private var left = 0L
  private var filled = 0
  // Distributed as the largest of `size` random numbers; each drawn row replaces the smallest.
  private var bound = 1.0

  /** Counts a row. Returns true if it must be drawn. */
  override def getAsBoolean(): Boolean = {
    left -= 1L
    left < 0L
  }

  /** Draws the row that was counted last. */
  override def accept(row: UnsafeRow): Unit = {
    val place = if (filled < size) filled else random.nextInt(size)
    if (place == filled) filled += 1 else bytes -= sampled(place).getSizeInBytes
    bytes += row.getSizeInBytes
    passed += gap + 1L
    if (bytes > mostBytes && filled == 1) stop()
    else {
      sampled(place) = row.copy()
      while (bytes > mostBytes && filled > 1) halve()
      if (bytes > mostBytes) stop()
      else {
        gap = if (filled < size) 0L else nextGap()
        left = gap
      }
    }
  }

  def sample: RowSample = RowSample(passed + gap - left, sampled.take(filled))

  /**
   * Keeps a random half of the rows. Rows are drawn as if each had a random number, and the rows
   * with the least numbers were the sample. All that is known of the drawn rows' numbers is that
   * they are below `bound`. All that is known of the kept half's numbers is that they are below the
   * least number of the dropped half.
   */
  private def halve(): Unit = {
    val stay = filled / 2
    val numbers = Array.fill(filled)(random.nextDouble()).sorted
    bound *= numbers(stay)
    var i = 0
    while (i < stay) {
      val other = i + random.nextInt(filled - i)
      val row = sampled(other)
      sampled(other) = sampled(i)
      sampled(i) = row
      i += 1
    }
    while (filled > stay) {
      filled -= 1
      bytes -= sampled(filled).getSizeInBytes
      sampled(filled) = null
    }
    size = stay
  }

  private def stop(): Unit = {
    java.util.Arrays.fill(sampled.asInstanceOf[Array[AnyRef]], null)
    filled = 0
    gap = Long.MaxValue
    left = Long.MaxValue
  }

  private def nextGap(): Long = {
    bound *= math.exp(math.log(positive()) / size)
    val gap = math.log(positive()) / math.log1p(-bound)
    // A gap so large that no further row is drawn.
    math.min(gap, (1L << 60).toDouble).toLong
  }

  private def positive(): Double = 1.0 - random.nextDouble()
}
