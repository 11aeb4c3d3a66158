package io.muntin.kernel.sums

/**
 * Numbers as pieces of 32 bits, and pieces in chunks: chunk i of an array has the weight 2^(32 i),
 * and pieces are added without carries.
 *
 * Guarded by the suites of ChunkSum, PowerSums and PairSums.
 */
private[sums] object Chunks {
  final val Low = 0xffffffffL

  /**
   * The maximum number of changes before `carryOut`, with room for the chunks' remaining values.
   */
  final val Room = 1 << 29

  /**
   * Adds 128 bits, shifted by `s`, from chunk `at` on, if `sign` is 0, or subtracts them if it is
   * -1.
   */
  def add(chunks: Array[Long], at: Int, s: Int, high: Long, low: Long, sign: Long): Unit = {
    val a = low << s
    val b = (high << s) | carried(low, s)
    val c = carried(high, s)
    chunks(at) += ((a & Low) ^ sign) - sign
    chunks(at + 1) += ((a >>> 32) ^ sign) - sign
    chunks(at + 2) += ((b & Low) ^ sign) - sign
    chunks(at + 3) += ((b >>> 32) ^ sign) - sign
    chunks(at + 4) += (c ^ sign) - sign
  }

  /** Adds or subtracts m^3, where m^2 is `high` and `low`. Changes eight chunks. */
  def addCube(
      chunks: Array[Long],
      at: Int,
      s: Int,
      m: Long,
      high: Long,
      low: Long,
      sign: Long
  ): Unit = {
    val w0 = low * m
    val middle = high * m
    val w1 = middle + Rounding.multiplyHigh(low, m)
    val w2 = Math.multiplyHigh(high, m) + carry(w1, middle)
    add(chunks, at, s, w0, w1, w2, 0L, sign)
  }

  /** Adds or subtracts the square of `high` and `low`. Changes eight chunks. */
  def addFourth(chunks: Array[Long], at: Int, s: Int, high: Long, low: Long, sign: Long): Unit = {
    val cross = high * low
    val crossHigh = Rounding.multiplyHigh(low, high)
    val w0 = low * low
    val w1 = Rounding.multiplyHigh(low, low) + (cross << 1)
    val c1 = carry(w1, cross << 1)
    val top = high * high
    val above = (crossHigh << 1) | (cross >>> 63)
    val once = top + above
    val w2 = once + c1
    val w3 = Math.multiplyHigh(high, high) + carry(once, top) + carry(w2, once)
    add(chunks, at, s, w0, w1, w2, w3, sign)
  }

  /** Adds 225 bits, the lowest word first. */
  private def add(
      chunks: Array[Long],
      at: Int,
      s: Int,
      w0: Long,
      w1: Long,
      w2: Long,
      w3: Long,
      sign: Long
  ): Unit = {
    val a = w0 << s
    val b = (w1 << s) | carried(w0, s)
    val c = (w2 << s) | carried(w1, s)
    val d = (w3 << s) | carried(w2, s)
    chunks(at) += ((a & Low) ^ sign) - sign
    chunks(at + 1) += ((a >>> 32) ^ sign) - sign
    chunks(at + 2) += ((b & Low) ^ sign) - sign
    chunks(at + 3) += ((b >>> 32) ^ sign) - sign
    chunks(at + 4) += ((c & Low) ^ sign) - sign
    chunks(at + 5) += ((c >>> 32) ^ sign) - sign
    chunks(at + 6) += ((d & Low) ^ sign) - sign
    chunks(at + 7) += ((d >>> 32) ^ sign) - sign
  }

  /** Returns the carry of a sum whose one summand was `part`. */
  private def carry(sum: Long, part: Long): Long =
    if (sum + Long.MinValue < part + Long.MinValue) 1L else 0L

  /**
   * Leaves 32 bits in each chunk, and adds the higher bits to the next chunk. A sign that fills
   * whole chunks moves into the last chunk with other bits.
   */
  def carryOut(chunks: Array[Long], size: Int): Unit = {
    var carry = 0L
    var i = 0
    while (i < size - 1) {
      val chunk = chunks(i) + carry
      chunks(i) = chunk & Low
      carry = chunk >> 32
      i += 1
    }
    chunks(i) += carry
    while (i > 0 && chunks(i) == -1L) {
      chunks(i) = 0L
      chunks(i - 1) -= 1L << 32
      i -= 1
    }
  }

  /**
   * Returns the significand of a finite double: its magnitude is `significand * 2^(position -
   * 1074)`.
   */
  def significand(bits: Long): Long = {
    val field = (bits >>> 52).toInt & 0x7ff
    (bits & Fraction) | (((field + 0x7ff) >>> 11).toLong << 52)
  }

  def position(bits: Long): Int = {
    val field = (bits >>> 52).toInt & 0x7ff
    field - ((field + 0x7ff) >>> 11)
  }

  def isFinite(bits: Long): Boolean = (bits & Exponent) != Exponent

  /** Returns the bits that a left shift by `s` moves out of a word. */
  private def carried(word: Long, s: Int): Long = (word >>> 1) >>> (63 - s)

  private final val Fraction = (1L << 52) - 1
  private final val Exponent = 0x7ffL << 52
}
