package org.apache.spark.sql.muntin.execution.exchange

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/**
 * The distinct values of a variable-length column in a stripe, and for each row the number of its
 * value. It is written if it takes fewer bytes than a value for each row.
 *
 *     values   London Rome London London      22 bytes, and 4 lengths
 *     distinct London Rome                    10 bytes, and 2 lengths
 *     codes    0 1 0 0                        4 bytes
 *
 * Cost per row: the hash of its value, a table look-up, and a comparison. A column with mostly
 * distinct values is skipped after several hundred rows, and in the following stripes. Source:
 * dictionary encoding, Abadi, Madden and Ferreira, "Integrating compression and execution in
 * column-oriented database systems" (2006). Guarded by DictionarySuite.
 */
private[exchange] final class Dictionary(columns: Int) {
  // The number of stripes for which each column is still skipped.
  private val pauses = new Array[Int](columns)
  // The number of a distinct value plus one, at the slot of its hash or after it; 0 is free.
  private val table = new Array[Int](4 * Stripe.MostRows)
  private var mask = 0
  private val hashes = new Array[Int](Stripe.MostRows)
  private var bytes = new Array[Byte](Dictionary.FewBytes)
  private var count = 0
  private var used = 0
  // The lengths of the distinct values.
  private var least = 0
  private var most = 0

  /** Returns the number of distinct values. */
  def size: Int = count

  /** Returns the distinct values, concatenated. */
  def values: Array[Byte] = bytes

  /** The end of each distinct value, 4 bytes each. */
  val ends: Array[Byte] = new Array[Byte](Stripe.MostRows * 4)

  /** The number of each row's value, 2 bytes each. */
  val codes: Array[Byte] = new Array[Byte](Stripe.MostRows * 2)

  /** Finds the distinct values of a column. Returns false if plain values are better. */
  def find(stripe: Stripe, column: Int): Boolean =
    if (pauses(column) > 0) {
      pauses(column) -= 1
      false
    } else {
      // A copy of long values would take memory that was not acquired.
      val isShorter =
        stripe.end(column, stripe.rows - 1) <= Dictionary.MostBytes && fill(stripe, column)
      if (!isShorter && stripe.rows >= Dictionary.FewRows) pauses(column) = Dictionary.Pause
      isShorter
    }

  private def fill(stripe: Stripe, column: Int): Boolean = {
    val rows = stripe.rows
    clear(rows)
    val all = stripe.values(column)
    var start = 0
    var row = 0
    var isShorter = true
    while (row < rows && isShorter) {
      val end = Stripe.int(stripe.ends(column), row)
      val code = codeOf(all, start, end - start)
      Platform.putShort(codes, Platform.BYTE_ARRAY_OFFSET + 2L * row, code.toShort)
      start = end
      row += 1
      if (row == Dictionary.FewRows) isShorter = count < Dictionary.FewRows * 3 / 4
    }
    isShorter && isWorth(rows, start)
  }

  // The savings must outweigh the hashes.
  private def isWorth(rows: Int, plain: Int): Boolean = {
    val perLength = if (least == most) 0L else 1L
    val perCode = if (count <= 1) 0L else if (count <= 256) 1L else 2L
    val bytes = Dictionary.BytesOfHead + rows * perCode + used + count * perLength
    bytes * 4 < (plain + rows * perLength) * 3
  }

  // At least twice as many slots as rows.
  private def clear(rows: Int): Unit = {
    mask = (Integer.highestOneBit(rows) << 2) - 1
    Arrays.fill(table, 0, mask + 1, 0)
    count = 0
    used = 0
    least = Int.MaxValue
    most = 0
  }

  private def codeOf(all: Array[Byte], start: Int, size: Int): Int = {
    val from = Platform.BYTE_ARRAY_OFFSET.toLong + start
    val hash = Murmur3_x86_32.hashUnsafeBytes2(all, from, size, 42)
    var at = hash & mask
    var code = -1
    while (code < 0) {
      val found = table(at) - 1
      if (found < 0) {
        code = add(all, start, size, hash)
        table(at) = code + 1
      } else if (hashes(found) == hash && isValue(found, all, from, size)) code = found
      else at = (at + 1) & mask
    }
    code
  }

  private def isValue(code: Int, all: Array[Byte], from: Long, size: Int): Boolean = {
    val start = Stripe.start(ends, code)
    Stripe.int(ends, code) - start == size && ByteArrayMethods
      .arrayEquals(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + start, all, from, size.toLong)
  }

  private def add(all: Array[Byte], start: Int, size: Int, hash: Int): Int = {
    if (size > bytes.length - used) {
      bytes = Arrays.copyOf(bytes, math.max(used + size, 2 * bytes.length))
    }
    System.arraycopy(all, start, bytes, used, size)
    used += size
    least = math.min(least, size)
    most = math.max(most, size)
    Platform.putInt(ends, Platform.BYTE_ARRAY_OFFSET + 4L * count, used)
    hashes(count) = hash
    count += 1
    count - 1
  }
}

private object Dictionary {
  private val FewBytes = 1024
  private val MostBytes = 4 << 20
  private val BytesOfHead = 24

  /** A column is kept if at least a quarter of this many rows have values of earlier rows. */
  private val FewRows = 512

  private val Pause = 15
}
