package io.muntin.kernel

import java.io.{ByteArrayOutputStream, DataOutputStream}

import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.extremes.{LeapingExtreme, LeapingNth, Pick, SlidingExtreme, SlidingNth}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sums.{
  BitXor,
  BucketCounter,
  Comoments,
  CountPresent,
  DecimalSum,
  ExactSum,
  IntegerSum,
  LeapingSums,
  Moments,
  Prefixed
}
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Windows that go back and forth have the results of windows whose rows enter one by one. */
final class LeapingSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import LeapingSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(60))

  private val longs: Gen[Vector[Option[Long]]] = Kind.longs.values(sizes)
  private val doubles: Gen[Vector[Option[Double]]] = for {
    begin <- Series.momentous
    rest <- Series.nullable
  } yield begin ++ rest

  sums("exact sums of doubles", doubles)(filled(Kind.doubles))((_, column) =>
    new ExactSum(column.asInstanceOf[DoubleColumn])
  )(s => if (s.isEmpty) Nil else Seq(s.sum, s.mean))

  sums("sums of integers", longs)(filled(Kind.longs))((_, column) =>
    new IntegerSum(column.asInstanceOf[LongColumn])
  )(s => if (s.isEmpty) Nil else Seq(s.mean))

  // Of 38 digits.
  private val decimals = Kind.int128s.values(sizes).map(_.map(_.filter(_.bitLength < 127)))

  sums("sums of wide decimals", decimals)(filled(Kind.int128s))((_, column) =>
    new DecimalSum(column.asInstanceOf[Int128Column])
  )(_ => Nil)

  sums("counts", longs)(filled(Kind.longs))((_, column) => new CountPresent(column))(s =>
    Seq(s.count.toDouble)
  )

  sums("xor", longs)(filled(Kind.longs))((_, column) =>
    new BitXor(column.asInstanceOf[LongColumn])
  )(_ => Nil)

  private val buckets = Gen.containerOf[Vector, Option[Long]](
    Gen.frequency(4 -> Gen.choose(0L, 6L).map(Some(_)), 1 -> Gen.const(None))
  )

  sums("counts of buckets", buckets)(filled(Kind.longs))((memory, column) =>
    new BucketCounter(memory, column.asInstanceOf[LongColumn], 7)
  )(_ => Nil)

  for (order <- 2 to 4)
    sums(s"moments up to $order", doubles)(filled(Kind.doubles))((_, column) =>
      new Moments(column.asInstanceOf[DoubleColumn], order)
    )(m =>
      if (m.count == 0L) Nil
      else Seq(m.mean, m.variance(0)) ++ (if (order < 4) Nil else Seq(m.excessKurtosis))
    )

  for (xx <- Seq(true, false); yy <- Seq(true, false))
    sums(s"pairs, squares of x: $xx, of y: $yy", doubles)(filled(Kind.doubles))((_, x) =>
      new Comoments(x.asInstanceOf[DoubleColumn], x.asInstanceOf[DoubleColumn], xx, yy)
    )(p => if (p.count == 0L) Nil else Seq(p.xMean, p.ck))

  /** `make` makes an accumulator over the column, and `read` reads it. */
  private def sums[A, P <: Prefixed with Saved](name: String, rows: Gen[Vector[A]])(
      fill: (Vector[A], Memory) => Column
  )(make: (Memory, Column) => P)(read: P => Seq[Double]): Unit =
    for (isForced <- Seq(false, true))
      test(s"$name${if (isForced) ", on disk" else ""}") {
        forAll(rows, moves) { (values, moves) =>
          val memory =
            if (isForced) CountingMemory.forced(new MemoryPages) else new CountingMemory
          val column = fill(values, memory)
          val found = make(memory, column)
          val leaping = new LeapingSums(memory, found)
          (1 to 2).foreach { _ =>
            leaping.clear()
            windows(values.size, moves).foreach { case (from, until) =>
              leaping.leap(from, until)
              val expected = make(memory, column)
              expected.enter(from, until)
              assert(bytes(found) === bytes(expected), s"from $from until $until")
              assert(read(found).map(bits) === read(expected).map(bits))
              expected.close()
            }
          }
          leaping.close()
          column.close()
          assert(memory.held === 0L)
        }
      }

  for {
    kind <- Kind.all
    sign <- Seq(1, -1)
    latest <- Seq(true, false)
  } extremes(kind, sign, latest)

  private def extremes[A](kind: Kind[A], sign: Int, latest: Boolean): Unit =
    picks(s"extremes of ${kind.name}, sign $sign, latest $latest", kind)(
      (memory, column) => new LeapingExtreme(memory, column, column, sign, latest),
      (memory, column) => new SlidingExtreme(memory, column, column, sign, latest)
    )

  for (n <- Seq(1, 3, -1, -4); marked <- Seq(true, false))
    picks(s"row $n, of those not null: $marked", Kind.longs)(
      (memory, column) => new LeapingNth(memory, column, Option.when(marked)(column), n),
      (memory, column) => new SlidingNth(memory, column, Option.when(marked)(column), n)
    )

  private def picks[A](name: String, kind: Kind[A])(
      make: (Memory, Column) => Pick with Leaping,
      oracle: (Memory, Column) => Pick
  ): Unit =
    test(name) {
      forAll(kind.values(Gen.oneOf(sizes, Gen.choose(600, 1200))), moves) { (values, moves) =>
        val memory = new CountingMemory
        val column = filled(kind)(values, memory)
        val leaping = make(memory, column)
        (1 to 2).foreach { _ =>
          leaping.clear()
          assert(leaping.position === Pick.None)
          windows(values.size, moves).foreach { case (from, until) =>
            leaping.leap(from, until)
            val expected = oracle(memory, column)
            expected.enter(from, until)
            assert(leaping.position === expected.position, s"from $from until $until")
            expected.close()
          }
        }
        leaping.close()
        column.close()
        assert(memory.held === 0L)
      }
    }
}

object LeapingSuite {
  private val sizes: Gen[Int] = Gen.choose(0, 200)

  /** A window anywhere, in thousandths of all rows, or the one before it moved by a few rows. */
  sealed trait Move
  final case class Anywhere(a: Int, b: Int) extends Move
  final case class By(a: Long, b: Long) extends Move

  private val place = Gen.choose(0, 1000)
  private val few = Gen.choose(-9L, 9L)

  private val moves: Gen[Seq[Move]] = Gen.listOfN(
    40,
    Gen.oneOf(Gen.zip(place, place).map(Anywhere.tupled), Gen.zip(few, few).map(By.tupled))
  )

  private def windows(rows: Int, moves: Seq[Move]): Seq[(Long, Long)] =
    moves
      .scanLeft((0L, 0L)) { case ((from, until), move) =>
        val (a, b) = move match {
          case Anywhere(a, b) => (a * rows / 1000L, b * rows / 1000L)
          case By(a, b) => (from + a, until + b)
        }
        def inside(place: Long) = math.max(0L, math.min(place, rows.toLong))
        (inside(math.min(a, b)), inside(math.max(a, b)))
      }
      .filter { case (from, until) => from < until }

  private def filled[A](kind: Kind[A])(values: Vector[Option[A]], memory: Memory): Column = {
    val column = kind.column(memory)
    column.addReader(Column.Everything)
    values.foreach(kind.append(column, _))
    column
  }

  private def bytes(saved: Saved): Seq[Byte] = {
    val out = new ByteArrayOutputStream
    saved.save(new DataOutputStream(out))
    out.toByteArray.toSeq
  }

  private def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value)
}
