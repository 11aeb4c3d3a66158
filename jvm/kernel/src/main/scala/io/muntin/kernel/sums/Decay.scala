package io.muntin.kernel.sums

import java.math.{BigDecimal, MathContext, RoundingMode}

/** How the weight of a row decreases as other rows follow. */
sealed abstract class Decay extends Serializable

/**
 * Each row multiplies the weights of all earlier rows by `beta` = 1 - `alpha`. Both are sums of two
 * doubles, with about 106 bits.
 *
 * @param adjusts
 *   true if weights are beta^age; else each value moves the mean by alpha of its distance, and the
 *   first value has the weight that all earlier values would have
 * @param ignoresMissing
 *   true if rows without a value do not count
 */
final class RowDecay private (
    alpha: BigDecimal,
    beta: BigDecimal,
    val adjusts: Boolean,
    val ignoresMissing: Boolean
) extends Decay {
  private[sums] val alphaHigh = alpha.doubleValue
  private[sums] val alphaLow = RowDecay.rest(alpha, alphaHigh)

  // beta^(2^i).
  private[sums] val high = new Array[Double](63)
  private[sums] val low = new Array[Double](63)

  locally {
    high(0) = beta.doubleValue
    low(0) = RowDecay.rest(beta, high(0))
    var i = 1
    while (i < high.length) {
      val product = high(i - 1) * high(i - 1)
      val error = Math.fma(high(i - 1), high(i - 1), -product) + 2.0 * high(i - 1) * low(i - 1)
      high(i) = product + error
      low(i) = error - (high(i) - product)
      i += 1
    }
  }
}

object RowDecay {
  private val Digits = new MathContext(60)
  private val One = BigDecimal.ONE
  private val Two = BigDecimal.valueOf(2L)

  private val Ln2 =
    new BigDecimal("0.693147180559945309417232121458176568075500134360255254120680009493")

  // 2^-1100 is not a double.
  private val NoWeight = 1100

  /** alpha, above 0 and up to 1. */
  def ofAlpha(alpha: BigDecimal, adjusts: Boolean, ignoresMissing: Boolean): RowDecay =
    new RowDecay(alpha, One.subtract(alpha), adjusts, ignoresMissing)

  /** The center of mass, 0 or more: alpha = 1 / (1 + com). */
  def ofCenter(com: BigDecimal, adjusts: Boolean, ignoresMissing: Boolean): RowDecay = {
    val all = One.add(com)
    new RowDecay(One.divide(all, Digits), com.divide(all, Digits), adjusts, ignoresMissing)
  }

  /** The span, 1 or more: alpha = 2 / (span + 1). */
  def ofSpan(span: BigDecimal, adjusts: Boolean, ignoresMissing: Boolean): RowDecay =
    ofCenter(span.subtract(One).divide(Two, Digits), adjusts, ignoresMissing)

  /**
   * The number of rows, more than 0, after which half of a weight remains: beta = 2^(-1 / rows).
   */
  def ofHalfLife(rows: BigDecimal, adjusts: Boolean, ignoresMissing: Boolean): RowDecay = {
    val beta = halved(One.divide(rows, Digits))
    new RowDecay(One.subtract(beta), beta, adjusts, ignoresMissing)
  }

  /** 2^-times. */
  private[sums] def halved(times: BigDecimal): BigDecimal =
    if (times.compareTo(BigDecimal.valueOf(NoWeight.toLong)) > 0) BigDecimal.ZERO
    else {
      val whole = times.setScale(0, RoundingMode.FLOOR)
      val x = times.subtract(whole).multiply(Ln2).negate
      var term = One
      var sum = One
      var i = 1L
      while (i <= 50L) {
        term = term.multiply(x).divide(BigDecimal.valueOf(i), Digits)
        sum = sum.add(term)
        i += 1
      }
      sum.divide(Two.pow(whole.intValue), Digits)
    }

  private def rest(value: BigDecimal, high: Double): Double =
    value.subtract(new BigDecimal(high)).doubleValue
}

/**
 * A weight is 2^(t / halfLife), where t is the row's time: a row that is older by a half-life has
 * half the weight. The weight depends only on the row's own time, not on the rows in between, so
 * the error of weights does not grow with their number: it is below 2^-50 of each weight.
 *
 * Without adjusting, a value moves the mean by 1 - 2^(-d / halfLife) of its distance, where d is
 * the time since the previous value. That is a weight of 2^(t / halfLife) minus the previous
 * value's weight: the weights of all values up to a row add up to 2^(t / halfLife). Rows must then
 * be in the order of time.
 */
final class TimeDecay(val halfLife: Long, val adjusts: Boolean, disorder: Disorder) extends Decay {
  import TimeDecay._

  private val length = halfLife.toDouble

  /** The power of two at or below a weight. */
  private[sums] def exponent(time: Long): Long = Math.floorDiv(time, halfLife)

  /** The weight over this power, in [1, 2). */
  private[sums] def significand(time: Long): Double =
    exp2(Math.floorMod(time, halfLife).toDouble / length)

  /** Returns the part of its distance by which a value at `time` moves the mean. */
  private[sums] def part(before: Long, time: Long): Double = {
    if (time < before) throw disorder.error(before, time)
    -StrictMath.expm1(-((time - before).toDouble / length) * Ln2)
  }
}

private object TimeDecay {
  private val Steps = 64

  private val table: Array[Double] =
    Array.tabulate(Steps + 1)(i => StrictMath.pow(2.0, i.toDouble / Steps))

  private val Ln2 = 0.6931471805599453

  /**
   * Returns 2^x, for x from 0 to 1: from a table, and the first terms of the series for the rest.
   */
  private def exp2(x: Double): Double = {
    val step = (x * Steps).toInt
    val z = (x - step.toDouble / Steps) * Ln2
    val more =
      z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0 * (1.0 + z / 5.0 * (1.0 + z / 6.0)))))
    table(step) + table(step) * more
  }
}
