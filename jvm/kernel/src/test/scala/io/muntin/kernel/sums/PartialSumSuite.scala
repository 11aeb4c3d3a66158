package io.muntin.kernel.sums

import java.math.BigInteger

import io.muntin.kernel.{Cases, CountingMemory, Held, Kind, SampledTests, Series, Sliding, Walk}
import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, ObjectColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sums.ChunkSum.{FixedPoint, FloatingPoint}
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Compared with the sums of the values, added again for each frame. */
class PartialSumSuite extends SampledTests with ScalaCheckPropertyChecks {
  import PartialSumSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(200))

  /** Rows with several values each, or null; partials are computed from them. */
  private def check[A](values: Gen[Vector[A]], walks: Gen[Walk], evicts: Boolean)(
      kind: ChunkSum.Kind,
      partial: Seq[A] => Array[Byte],
      whole: Seq[A] => Array[Byte]
  ): Assertion = forAll(values, walks, Gen.choose(1, 7)) { (v, walk, width) =>
    val memory = new CountingMemory
    val parts = v.grouped(width).zipWithIndex.map { case (p, i) =>
      if (i % 5 == 3) None else Some(p)
    }.toVector :+ None
    val rows = Vector.tabulate(walk.rows)(p => parts((p * 7) % parts.size))
    val held = new Held(binaries, memory, Vector(None, Some(Array[Byte](9))))
    val sum = new PartialSum(held.column.asInstanceOf[ObjectColumn], kind)
    var partition = 0
    while (partition < 2) {
      Walk.foreach(walk, Seq(held), sum, evicts)(p => held.append(rows(p).map(partial))) { frame =>
        assert(sum.sum.toBytes === whole(frame.flatMap(rows(_)).flatten))
      }
      partition += 1
    }
    sum.close()
    held.column.close()
    assert(memory.held === 0L)
  }

  private val doubles = Series.nullable.map(_.flatten)

  (1 to 4).foreach { power =>
    def sum(values: Seq[Double]): Array[Byte] = powers(values, power).toBytes

    sampledTest(s"sums of powers of doubles, the $power., NaN and infinities, in sliding frames") {
      check(doubles, Walk.sliding, evicts = true)(FloatingPoint(power), sum, sum)
    }

    sampledTest(s"sums of powers of doubles, the $power., in growing frames") {
      check(doubles, Walk.growing, evicts = false)(FloatingPoint(power), sum, sum)
    }
  }

  private val integers: Gen[Vector[BigInteger]] =
    Gen.zip(DecimalSumSuite.decimals, Series.nullable).map { case (wide, narrow) =>
      wide.flatten ++ narrow.flatten.map(x => BigInteger.valueOf(x.toLong))
    }

  test("sums of integers and decimals") {
    def sum(v: Seq[BigInteger]) = fixed(v, 2)
    check(integers.map(scala.util.Random.shuffle(_)), Walk.sliding, evicts = true)(
      FixedPoint(2),
      sum,
      sum
    )
  }

  test("decimals of a smaller scale, and integers among doubles") {
    check(integers, Walk.sliding, evicts = true)(
      FixedPoint(6),
      fixed(_, 2),
      v => fixed(v.map(_.multiply(BigInteger.valueOf(10000L))), 6)
    )
    val whole = Series.whole.map(x => Vector.fill(3)(x.toLong))
    check(Gen.listOf(whole).map(_.flatten.toVector.appended(5L)), Walk.sliding, evicts = true)(
      FloatingPoint(1),
      v => fixed(v.map(BigInteger.valueOf), 0),
      v => powers(v.map(_.toDouble), 1).toBytes
    )
  }

  test("rows that enter and leave in any order") {
    forAll(doubles, Gen.long) { (v, seed) =>
      whenever(v.nonEmpty) {
        val random = new scala.util.Random(seed)
        val column = binaries.column(Memory.Unlimited).asInstanceOf[ObjectColumn]
        column.addReader(new Column.Reader { override def floor: Long = 0L })
        v.foreach(x => binaries.append(column, Some(powers(Seq(x), 1).toBytes)))
        val sum = new PartialSum(column, FloatingPoint(1))
        assert(sum.anyOrder)
        var inside = Set.empty[Int]
        for (_ <- 0 until 200) {
          val p = random.nextInt(v.size)
          if (inside(p)) {
            inside -= p
            sum.leave(p.toLong, p + 1L)
          } else {
            inside += p
            sum.enter(p.toLong, p + 1L)
          }
          assert(sum.sum.toBytes === powers(inside.toSeq.map(v), 1).toBytes)
        }
        inside.foreach(p => sum.leave(p.toLong, p + 1L))
        assert(sum.sum.toBytes === Array[Byte](1))
      }
    }
  }

  test("partials stored as one or two doubles, together with partials stored as bytes") {
    forAll(doubles, Gen.long) { (v, seed) =>
      val random = new scala.util.Random(seed)
      val reader = new Column.Reader { override def floor: Long = 0L }
      val bytes = binaries.column(Memory.Unlimited).asInstanceOf[ObjectColumn]
      val high = new DoubleColumn(Memory.Unlimited, nullable = true)
      val low = new DoubleColumn(Memory.Unlimited, nullable = true)
      Seq(bytes, high, low).foreach(_.addReader(reader))
      // The values of each partial; none for null.
      val parts = v.grouped(2).toVector.map { part =>
        random.nextInt(4) match {
          case 0 =>
            bytes.appendNull()
            high.appendNull()
            low.appendNull()
            Nil
          case 1 =>
            binaries.append(bytes, Some(powers(part, 1).toBytes))
            high.appendNull()
            low.appendNull()
            part
          case 2 =>
            bytes.appendNull()
            high.append(part.head)
            low.appendNull()
            part.take(1)
          case _ =>
            bytes.appendNull()
            high.append(part.head)
            part.drop(1).headOption.fold(low.appendNull())(low.append)
            part
        }
      }
      val sum = new PartialSum(bytes, FloatingPoint(1), Some((high, low)))
      var start = 0
      for (end <- 1 to parts.size) {
        sum.enter(end - 1L, end.toLong)
        assert(sum.sum.toBytes === powers(parts.slice(start, end).flatten, 1).toBytes)
        if (random.nextBoolean()) {
          sum.leave(start.toLong, start + 1L)
          start += 1
          assert(sum.sum.toBytes === powers(parts.slice(start, end).flatten, 1).toBytes)
        }
      }
    }
  }

  test("a sum that this type cannot represent is rejected") {
    val column = binaries.column(Memory.Unlimited).asInstanceOf[ObjectColumn]
    binaries.append(column, Some(fixed(Seq(BigInteger.ONE), 2)))
    intercept[IllegalArgumentException](new PartialSum(column, FloatingPoint(1)).enter(0L, 1L))
    intercept[IllegalArgumentException](new PartialSum(column, FixedPoint(1)).enter(0L, 1L)): Unit
  }

  sampledTest("the sums in accumulators equal the partials of their rows") {
    forAll(doubles, DecimalSumSuite.decimals, Series.frame) { (v, decimals, frame) =>
      val (column, append) = Sliding.doubles(v.map(Some(_)))
      val exact = new ExactSum(column)
      val kept = ChunkSum(FloatingPoint(1))
      Sliding.foreach(Seq(column), exact, frame, v.size)(append) { rows =>
        exact.keep(0, kept)
        assert(kept.toBytes === powers(rows.map(v), 1).toBytes)
      }
      (2 to 4).foreach { order =>
        val (column, append) = Sliding.doubles(v.map(Some(_)))
        val moments = new Moments(column, order)
        val sums = (1 to order).map(p => ChunkSum(FloatingPoint(p)))
        Sliding.foreach(Seq(column), moments, frame, v.size)(append) { rows =>
          (1 to order).foreach(p => moments.keep(p - 1, sums(p - 1)))
          (1 to order).foreach { p =>
            assert(sums(p - 1).toBytes === powers(rows.map(v), p).toBytes)
          }
        }
      }
      val wide = new Int128Column(Memory.Unlimited, true)
      val total = new DecimalSum(wide)
      val sum = ChunkSum(FixedPoint(3))
      Sliding.foreach(Seq(wide), total, frame, decimals.size) { p =>
        decimals(p).fold(wide.appendNull()) { x =>
          wide.append(x.shiftRight(64).longValue, x.longValue)
        }
      } { rows =>
        total.keep(0, sum)
        assert(sum.toBytes === fixed(rows.flatMap(decimals(_)), 3))
      }
      val longs = decimals.map(_.map(_.longValue))
      val (narrow, appendLong) = Sliding.longs(longs)
      val integers = new IntegerSum(narrow)
      Sliding.foreach(Seq(narrow), integers, frame, longs.size)(appendLong) { rows =>
        integers.keep(0, sum)
        assert(sum.toBytes === fixed(rows.flatMap(longs(_)).map(BigInteger.valueOf), 3))
      }
    }
  }

  test("a sum whose carries were propagated stays correct") {
    forAll(doubles, Gen.choose(1, 9)) { (v, room) =>
      val moments = new PowerSums(4, room)
      v.foreach(moments.add)
      (1 to 4).foreach { power =>
        val sum = ChunkSum(FloatingPoint(power))
        moments.keep(power - 1, sum)
        assert(sum.toBytes === powers(v, power).toBytes)
      }
    }
  }
}

object PartialSumSuite {
  private def powers(values: Seq[Double], power: Int): ChunkSum = {
    val sum = ChunkSum(FloatingPoint(power))
    values.foreach { x =>
      if (power == 1) sum.add(x) else sum.addPower(x, power)
    }
    sum
  }

  /** By the description of the bytes. */
  private def fixed(values: Seq[BigInteger], scale: Int): Array[Byte] = {
    val sum = values.foldLeft(BigInteger.ZERO)(_ add _)
    val header = Array[Byte](0, scale.toByte)
    if (sum.signum == 0) header else header ++ sum.toByteArray
  }

  private object Bytes extends ObjectColumn.Traits {
    override def compare(a: AnyRef, b: AnyRef): Int =
      java.util.Arrays.compare(a.asInstanceOf[Array[Byte]], b.asInstanceOf[Array[Byte]])

    override def hash(value: AnyRef): Int =
      java.util.Arrays.hashCode(value.asInstanceOf[Array[Byte]])

    override def sizeOf(value: AnyRef): Long = value.asInstanceOf[Array[Byte]].length.toLong
  }

  private val binaries: Kind[Array[Byte]] = new Kind[Array[Byte]](
    "binaries",
    new ObjectColumn(_, _, Bytes),
    (c, x) => c.asInstanceOf[ObjectColumn].append(x),
    (c, p) => c.asInstanceOf[ObjectColumn](p).asInstanceOf[Array[Byte]],
    Gen.const(Array.empty[Byte]),
    Ordering.by(_.length)
  )
}
