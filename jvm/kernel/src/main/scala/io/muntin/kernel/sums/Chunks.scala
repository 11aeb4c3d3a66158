package io.muntin.kernel.sums

/**
 * What the exact sums keep their bits in: chunks of 32 bits, each in a long, chunk i of weight
 * 2^(32 i) above the least. Pieces are added without carries; a chunk has room for 2^31 of them.
 *
 * Guarded by the suites of Superaccumulator, PowerSums and PairSums.
 */
private[kernel] object Chunks {
  final val Low = 0xffffffffL

  /** Pieces that may be added before carries must be taken out, with room for what these leave. */
  final val Room = 1L << 30

  /** Adds 128 bits at `position`; takes them away where `sign` is -1 and not 0. Five chunks. */
  def add(chunks: Array[Long], position: Int, high: Long, low: Long, sign: Long): Unit = {
    val at = position >>> 5
    val s = position & 31
    val a = low << s
    val b = (high << s) | carried(low, s)
    val c = carried(high, s)
    chunks(at) += ((a & Low) ^ sign) - sign
    chunks(at + 1) += ((a >>> 32) ^ sign) - sign
    chunks(at + 2) += ((b & Low) ^ sign) - sign
    chunks(at + 3) += ((b >>> 32) ^ sign) - sign
    chunks(at + 4) += (c ^ sign) - sign
  }

  /** Adds 225 bits at `position`, the lowest word first; as above. Eight chunks. */
  def add(
      chunks: Array[Long],
      position: Int,
      w0: Long,
      w1: Long,
      w2: Long,
      w3: Long,
      sign: Long
  ): Unit = {
    val at = position >>> 5
    val s = position & 31
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

  /** Leaves 32 bits in each chunk and what is above them in the next one. */
  def carryOut(chunks: Array[Long]): Unit = {
    var carry = 0L
    var i = 0
    while (i < chunks.length - 1) {
      val chunk = chunks(i) + carry
      chunks(i) = chunk & Low
      carry = chunk >> 32
      i += 1
    }
    chunks(chunks.length - 1) += carry
  }

  def merge(chunks: Array[Long], other: Array[Long]): Unit = {
    var i = 0
    while (i < chunks.length) {
      chunks(i) += other(i)
      i += 1
    }
  }

  /** The significand of a finite double: its magnitude is `significand * 2^(position - 1074)`. */
  def significand(bits: Long): Long = {
    val field = (bits >>> 52).toInt & 0x7ff
    (bits & Fraction) | (((field + 0x7ff) >>> 11).toLong << 52)
  }

  def position(bits: Long): Int = {
    val field = (bits >>> 52).toInt & 0x7ff
    field - ((field + 0x7ff) >>> 11)
  }

  def isFinite(bits: Long): Boolean = (bits & Exponent) != Exponent

  /** What a shift to the left by `s` moves out of a word. */
  private def carried(word: Long, s: Int): Long = (word >>> 1) >>> (63 - s)

  private final val Fraction = (1L << 52) - 1
  private final val Exponent = 0x7ffL << 52
}
