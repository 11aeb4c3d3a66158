package org.apache.spark.sql.muntin.execution.exchange

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.unsafe.Platform

/** Numbers are read back unchanged, and take no more bytes than their distances need. */
class PackedNumbersSuite extends MuntinSuite {
  private val packer = new PackedNumbers
  private val reader = new PackedNumbers

  private def put(to: Array[Byte], width: Int, i: Int, number: Long): Unit = {
    val at = Platform.BYTE_ARRAY_OFFSET + width.toLong * i
    width match {
      case 8 => Platform.putLong(to, at, number)
      case 4 => Platform.putInt(to, at, number.toInt)
      case 2 => Platform.putShort(to, at, number.toShort)
    }
  }

  private def values(width: Int, numbers: Seq[Option[Long]]): Array[Byte] = {
    val bytes = new Array[Byte](width * numbers.size)
    numbers.zipWithIndex.foreach { case (number, i) => number.foreach(put(bytes, width, i, _)) }
    bytes
  }

  private def nulls(numbers: Seq[Option[Long]]): Array[Byte] =
    if (numbers.forall(_.nonEmpty)) null
    else {
      val bits = new Array[Byte](Stripe.bytesOfBits(numbers.size))
      numbers.indices.filter(numbers(_).isEmpty).foreach(Stripe.set(bits, _))
      bits
    }

  /** Returns the bytes per number, after checking that all numbers are read back unchanged. */
  private def size(width: Int, numbers: Seq[Option[Long]]): Int = {
    val (in, missing) = (values(width, numbers), nulls(numbers))
    packer.pack(in, width, missing, numbers.size)
    val size = packer.size
    System.arraycopy(packer.bytes, 0, reader.bytes, 0, size * numbers.size)
    val out = new Array[Byte](in.length)
    reader.unpack(packer.least, size, numbers.size, width, missing, out)
    assert(out.toSeq === in.toSeq, s"$width bytes: $numbers")
    size
  }

  test("numbers close to each other take few bytes, at any offset") {
    for (
      least <- Seq(0L, -5L, 1L << 40, Long.MinValue, Long.MaxValue - (1L << 55));
      bytes <- 0 to 6;
      distance <- Seq((1L << (8 * bytes)) - 1L, 1L << (8 * bytes))
    ) {
      val expected =
        if (distance == 0L) 0 else if (distance == 1L << (8 * bytes)) bytes + 1 else bytes
      assert(size(8, Seq(least + distance, least, least + distance).map(Some(_))) === expected)
    }
    assert(size(8, Seq(Long.MinValue, Long.MaxValue, 0L).map(Some(_))) === 8)
    assert(size(4, Seq(Int.MinValue, Int.MaxValue, -7).map(n => Some(n.toLong))) === 4)
    assert(size(4, Seq(Int.MaxValue - 9, Int.MaxValue).map(n => Some(n.toLong))) === 1)
    assert(size(2, Seq(Short.MinValue, Short.MaxValue, -7).map(n => Some(n.toLong))) === 2)
    assert(size(2, Seq(-300L, -200L).map(Some(_))) === 1)
  }

  test("nulls do not affect the distances, and stay zeros") {
    assert(size(8, Seq(Some(1L << 50), None, Some((1L << 50) + 200L), None)) === 1)
    assert(size(4, Seq(None, Some(70_000L))) === 0)
    assert(size(8, Seq(None, None)) === 0)
    assert(size(8, Seq(Some(Long.MinValue), None, Some(Long.MaxValue))) === 8)
  }

  test("random numbers of any width, number and range") {
    val random = new Random(7)
    for (_ <- 1 to 400) {
      val width = Seq(2, 4, 8)(random.nextInt(3))
      val narrower = random.nextInt(64)
      val moved = random.nextLong() >> random.nextInt(64)
      val hasNulls = random.nextInt(3) == 0
      val rows = 1 + random.nextInt(if (random.nextInt(9) == 0) Stripe.MostRows else 40)
      val numbers = Seq.fill(rows) {
        if (hasNulls && random.nextInt(4) == 0) None
        else Some((random.nextLong() >>> narrower) + moved)
      }
      assert(size(width, numbers) <= width)
    }
  }

  test("lengths of values, from the ends of the values") {
    val random = new Random(8)
    for (longest <- Seq(1, 2, 300, 70_000, 200_000); rows <- Seq(1, 33, Stripe.MostRows)) {
      val lengths = Seq.fill(rows)(random.nextInt(longest))
      val ends = values(4, lengths.scanLeft(0L)(_ + _).tail.map(Some(_)))
      packer.packLengths(ends, rows)
      val most = (lengths.max - lengths.min).toLong
      assert(packer.size === (64 - java.lang.Long.numberOfLeadingZeros(most) + 7) / 8)
      System.arraycopy(packer.bytes, 0, reader.bytes, 0, packer.size * rows)
      val out = new Array[Byte](ends.length)
      reader.unpackLengths(packer.least, packer.size, rows, out)
      assert(out.toSeq === ends.toSeq)
    }
  }
}
