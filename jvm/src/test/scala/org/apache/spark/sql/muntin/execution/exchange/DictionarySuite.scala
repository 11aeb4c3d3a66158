package org.apache.spark.sql.muntin.execution.exchange

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32
import org.apache.spark.unsafe.types.UTF8String

/** Repeated strings are written once, and read back unchanged. */
class DictionarySuite extends MuntinSuite {
  private val layout = new Layout(Seq(StringType))

  private def stripe(values: Seq[String]): Stripe = {
    val bytes = values.map(v => if (v == null) Array.emptyByteArray else v.getBytes("UTF-8"))
    val ends = new Array[Byte](4 * values.size)
    bytes.scanLeft(0)(_ + _.length).tail.zipWithIndex.foreach { case (end, i) =>
      Platform.putInt(ends, Platform.BYTE_ARRAY_OFFSET + 4L * i, end)
    }
    val nulls = new Array[Byte](Stripe.bytesOfBits(values.size))
    values.indices.filter(values(_) == null).foreach(Stripe.set(nulls, _))
    new Stripe(values.size, Array(bytes.toArray.flatten), Array(nulls), Array(ends))
  }

  private def strings(stripes: Seq[Stripe]): Seq[String] = StripeRows
    .of(layout, stripes.iterator)
    .map { row =>
      val value = row.asInstanceOf[UnsafeRow].getUTF8String(0)
      if (value == null) null else value.toString
    }
    .toVector

  private def written(stripes: Seq[Stripe], size: SQLMetric = new SQLMetric("size")) =
    StripeBytes.write(layout, stripes.iterator, size)

  private def read(bytes: Array[Byte]): Seq[Stripe] = StripeBytes.read(layout, bytes)

  /** Returns the bytes of each stripe, and whether it is read with codes. */
  private def through(all: Seq[Seq[String]]): Seq[(Int, Boolean)] = {
    val stripes = all.map(stripe)
    val found = read(written(stripes))
    assert(strings(found) === all.flatten)
    // Stripes with codes are written with them, and their values can be read separately.
    assert(strings(read(written(found))) === all.flatten)
    found.zip(all).foreach { case (one, values) =>
      val rows = values.indices.filter(_ % 3 == 0).toArray
      val some = SelectedStripe(one, layout, rows, rows.length)
      assert(strings(Seq(some)) === rows.toSeq.map(values(_)))
    }
    found.map(one => (written(Seq(one)).length, one.codes(0) != null))
  }

  private val random = new Random(7)

  private def drawn(rows: Int, distinct: Int): Seq[String] = Vector.fill(rows) {
    val n = random.nextInt(distinct)
    if (n == 0) null else if (n == 1) "" else s"the value ${n * 7919}"
  }

  test("few values in many rows: each value once, and a byte or two for each row") {
    for (rows <- Seq(1, 2, 33, 4096, 8192); distinct <- Seq(1, 2, 3, 255, 256, 257, 400)) {
      val (bytes, isCoded) = through(Seq(drawn(rows, distinct))).head
      if (rows >= 4096 && distinct > 2) {
        assert(isCoded, s"$rows rows of $distinct values")
        assert(bytes < 100 + 20 * distinct + (if (distinct > 256) 2 else 1) * rows + rows / 8)
      }
    }
    assert(through(Seq(Vector.fill(8192)("London"))) === Seq((1058, true)))
  }

  test("values that differ, or are short: a value for each row, and few attempts") {
    val ids = Seq.tabulate(20)(s => Vector.tabulate(4096)(i => s"user ${s * 4096 + i}"))
    assert(through(ids).forall(!_._2))
    assert(!through(Seq(Vector.fill(4096)(if (random.nextBoolean()) "a" else "b"))).head._2)
    assert(!through(Seq(Seq("a", "a"))).head._2)
    // After a stripe without a dictionary, the exchange skips some stripes before the next attempt.
    val same = Seq.fill(17)(Vector.fill(600)("London"))
    assert(through(ids.head +: same).map(_._2) === false +: Seq.fill(15)(false) :+ true :+ true)
  }

  test("long values are not encoded") {
    val long = "x" * 100_000
    assert(through(Seq(Vector.fill(20)(long))).head._2)
    assert(!through(Seq(Vector.fill(50)(long))).head._2)
  }

  test("values with equal hashes are two values") {
    val hashes = mutable.HashMap.empty[Int, String]
    val pair = Iterator.from(0).map(i => s"user $i").flatMap { value =>
      val bytes = UTF8String.fromString(value).getBytes
      val start = Platform.BYTE_ARRAY_OFFSET.toLong
      val hash = Murmur3_x86_32.hashUnsafeBytes2(bytes, start, bytes.length, 42)
      hashes.put(hash, value).filter(_.length == value.length).map((_, value))
    }.next()
    val values = Vector.fill(300)(Seq(pair._1, pair._2)).flatten
    assert(through(Seq(values)).head._2)
  }

  test("the size when written equals the size when read") {
    val size = new SQLMetric("size")
    written(Seq(stripe(Vector.fill(8192)("London"))), size)
    assert(size.value > 8192 * 10 && size.value < 8192 * 11)
  }
}
