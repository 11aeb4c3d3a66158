package io.muntin.kernel

/**
 * The exact sum of doubles, of which any can be taken back: what has left has left no trace, and the
 * sum is the same in whatever order and from whatever parts it was made.
 *
 * A finite double is a significand of 53 bits at one of 2046 positions. The sum is kept in chunks of
 * 32 bits, each in a long, over all these positions: a value adds three pieces to three chunks that
 * follow one another, without carries, because a long has room for 2^31 of them. How many values
 * begin in each chunk is counted, so that a read looks at the chunks in use alone.
 *
 * Zeros have no piece. NaN and the infinities are counted, and decide what is read while there are
 * any.
 *
 * Cost per row: a few nanoseconds to add, as many to subtract, about ten to read a rounded sum.
 * Sources: Kulisch's long accumulator; Neal 2015 (arXiv 1505.05571) for the chunks. Guarded by
 * SuperaccumulatorSuite.
 *
 * @param room
 *   how many values may be added before the carries are taken out of the chunks; values are
 *   subtracted only where no more than these are ever there at a time
 */
final class Superaccumulator(room: Long = Chunks.Room) {
  import Chunks.Low

  private[kernel] val chunks = new Array[Long](Superaccumulator.Width)

  // How many values begin in each chunk, and which of these counters are not zero.
  private val starts = new Array[Long](64)
  private var used = 0L

  private var finite = 0L
  private var nans = 0L
  private var positiveInfinities = 0L
  private var negativeInfinities = 0L

  // Once carries were taken out, a chunk outside those in use need not be zero.
  private var untilCarry = room
  private var carried = false
  private var carries = 0L

  private var scratch: Limbs = _

  /** How many values it holds. */
  def count: Long = finite + nonFinite

  /** How many of them are NaN or infinite. */
  def nonFinite: Long = nans + positiveInfinities + negativeInfinities

  def clear(): Unit = {
    if (carried) java.util.Arrays.fill(chunks, 0L)
    else if (used != 0L) java.util.Arrays.fill(chunks, lowest, highest + 3, 0L)
    java.util.Arrays.fill(starts, 0L)
    used = 0L
    finite = 0L
    nans = 0L
    positiveInfinities = 0L
    negativeInfinities = 0L
    untilCarry = room
    carried = false
  }

  def add(value: Double): Unit = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    if (!Chunks.isFinite(bits)) countNonFinite(value, 1L)
    else {
      finite += 1
      val magnitude = Chunks.significand(bits)
      if (magnitude != 0L) {
        val position = Chunks.position(bits)
        val chunk = position >>> 5
        val shift = position & 31
        val sign = bits >> 63
        val significand = (magnitude ^ sign) - sign
        val low = significand << shift
        chunks(chunk) += low & Low
        chunks(chunk + 1) += low >>> 32
        chunks(chunk + 2) += (significand >> 1) >> (63 - shift)
        starts(chunk) += 1
        used |= 1L << chunk
      }
      if (finite == untilCarry) carry()
    }
  }

  def subtract(value: Double): Unit = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    if (!Chunks.isFinite(bits)) countNonFinite(value, -1L)
    else {
      finite -= 1
      val magnitude = Chunks.significand(bits)
      if (magnitude != 0L) {
        val position = Chunks.position(bits)
        val chunk = position >>> 5
        val shift = position & 31
        val sign = bits >> 63
        val significand = (magnitude ^ sign) - sign
        val low = significand << shift
        chunks(chunk) -= low & Low
        chunks(chunk + 1) -= low >>> 32
        chunks(chunk + 2) -= (significand >> 1) >> (63 - shift)
        val left = starts(chunk) - 1
        starts(chunk) = left
        if (left == 0L) used &= ~(1L << chunk)
      }
    }
  }

  /** Adds everything that `other` holds. */
  def merge(other: Superaccumulator): Unit = {
    // The other's chunks may be as full as they can be: both give up their carries first where the
    // sum could exceed the room.
    if (other.carried || finite + other.finite >= untilCarry) {
      other.carry()
      carry()
    }
    Chunks.merge(chunks, other.chunks)
    Chunks.merge(starts, other.starts)
    used |= other.used
    finite += other.finite
    nans += other.nans
    positiveInfinities += other.positiveInfinities
    negativeInfinities += other.negativeInfinities
    if (carried) carry()
  }

  /** The double nearest to the exact sum; 0.0 where there are no values. */
  def sum: Double =
    if (nonFinite != 0L) nonFiniteSum
    else if (used == 0L) 0.0
    else {
      val low = lowest
      if (highest - low > 2 || carried) {
        val limbs = loadScratch()
        limbs.round(exponent)
      } else shortSum(low)
    }

  /** The double nearest to the exact sum over `divisor`, which is above zero. */
  def mean(divisor: Long): Double =
    if (nonFinite != 0L) nonFiniteSum
    else if (used == 0L) 0.0
    else {
      val limbs = loadScratch()
      limbs.quotient(divisor, exponent)
    }

  /** The sum of five chunks, three words of two's complement, without a detour over memory. */
  private def shortSum(from: Int): Double = {
    val t0 = chunks(from)
    val t1 = chunks(from + 1) + (t0 >> 32)
    val t2 = chunks(from + 2) + (t1 >> 32)
    val t3 = chunks(from + 3) + (t2 >> 32)
    val t4 = chunks(from + 4) + (t3 >> 32)
    val sign = t4 >> 63
    val a0 = ((t0 & Low) | (t1 << 32)) ^ sign
    val a1 = ((t2 & Low) | (t3 << 32)) ^ sign
    val w0 = a0 - sign
    val c0 = if (w0 == 0L) -sign else 0L
    val w1 = a1 + c0
    val w2 = (t4 ^ sign) + (if (w1 == 0L) c0 else 0L)
    val at = exponentOf(from)
    if (w2 != 0L) leading(sign, w2, w1, w0 != 0L, at + 128)
    else if (w1 != 0L) leading(sign, w1, w0, false, at + 64)
    else Rounding.round(sign < 0L, w0, false, at)
  }

  private def leading(sign: Long, top: Long, next: Long, more: Boolean, exponent: Int): Double = {
    val s = java.lang.Long.numberOfLeadingZeros(top)
    val bits = (top << s) | ((next >>> 1) >>> (63 - s))
    Rounding.round(sign < 0L, bits, more || (next << s) != 0L, exponent - s)
  }

  private def nonFiniteSum: Double =
    if (nans != 0L || (positiveInfinities != 0L && negativeInfinities != 0L)) Double.NaN
    else if (positiveInfinities != 0L) Double.PositiveInfinity
    else Double.NegativeInfinity

  private def countNonFinite(value: Double, change: Long): Unit =
    if (value.isNaN) nans += change
    else if (value > 0.0) positiveInfinities += change
    else negativeInfinities += change

  /** The first chunk in use; 0 where none is. */
  private[kernel] def lowest: Int =
    if (carried || used == 0L) 0 else java.lang.Long.numberOfTrailingZeros(used)

  /** The last chunk in which a value begins; -1 where none does. */
  private[kernel] def highest: Int =
    if (carried) 64 else 63 - java.lang.Long.numberOfLeadingZeros(used)

  /** How often the carries were taken out: sums that run along do it at the same times. */
  private[kernel] def timesCarried: Long = carries

  /** The weight of the lowest bit that `load` gives is 2^exponent. */
  private[kernel] def exponent: Int = exponentOf(lowest)

  private def exponentOf(chunk: Int): Int = (chunk << 5) - 1074

  /** The exact sum of the finite values, in units of 2^exponent. */
  private[kernel] def load(limbs: Limbs): Unit =
    if (used == 0L) limbs.setZero()
    else {
      val low = lowest
      limbs.load(chunks, low, (highest + 4 - low) & ~1)
    }

  private def loadScratch(): Limbs = {
    if (scratch == null) scratch = new Limbs
    load(scratch)
    scratch
  }

  private def carry(): Unit = {
    Chunks.carryOut(chunks)
    carried = true
    carries += 1
    untilCarry = finite + room
  }
}

object Superaccumulator {

  // The last value begins in chunk 63 and has three pieces; the sum of 2^31 has one more, and its
  // sign another.
  private final val Width = 68
}
