package io.muntin.kernel

import java.io.{ByteArrayOutputStream, DataOutputStream}

import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.extremes.{
  NonMonotonicExtreme,
  NonMonotonicNth,
  Pick,
  SlidingExtreme,
  SlidingNth
}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sums.{
  BitXor,
  BucketCounter,
  Comoments,
  DecimalSum,
  ExactSum,
  IntegerSum,
  Moments,
  NonMonotonicSums,
  NonNullCount,
  Prefixed
}
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Windows that move back and forth have the results of windows whose rows enter one by one. */
final class NonMonotonicSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import NonMonotonicSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(60))

  private val doubles: Gen[Vector[Option[Double]]] = for {
    begin <- Series.momentous
    rest <- Series.nullable
  } yield begin ++ rest

  private val longs = Kind.longs.values(sizes)

  // 38 digits.
  private val decimals = Kind.int128s.values(sizes).map(_.map(_.filter(_.bitLength < 127)))

  private val buckets = Gen.containerOf[Vector, Option[Long]](
    Gen.frequency(4 -> Gen.choose(0L, 6L).map(Some(_)), 1 -> Gen.const(None))
  )

  sums("exact sums of doubles", Kind.doubles, doubles)((_, column) =>
    new ExactSum(column.asInstanceOf[DoubleColumn])
  )(s => if (s.isEmpty) Nil else Seq(s.sum, s.mean))

  sums("sums of integers", Kind.longs, longs)((_, column) =>
    new IntegerSum(column.asInstanceOf[LongColumn])
  )(s => if (s.isEmpty) Nil else Seq(s.mean))

  sums("sums of wide decimals", Kind.int128s, decimals)((_, column) =>
    new DecimalSum(column.asInstanceOf[Int128Column])
  )(_ => Nil)

  sums("counts", Kind.longs, longs)((_, column) => new NonNullCount(column))(s =>
    Seq(s.count.toDouble)
  )

  sums("xor", Kind.longs, longs)((_, column) => new BitXor(column.asInstanceOf[LongColumn]))(_ =>
    Nil
  )

  sums("counts of buckets", Kind.longs, buckets)((memory, column) =>
    new BucketCounter(memory, column.asInstanceOf[LongColumn], 7)
  )(_ => Nil)

  for (order <- 2 to 4)
    sums(s"moments up to $order", Kind.doubles, doubles)((_, column) =>
      new Moments(column.asInstanceOf[DoubleColumn], order)
    )(m =>
      if (m.count == 0L) Nil
      else
        Seq(m.sums.mean, m.sums.variance(0)) ++ (if (order < 4) Nil else Seq(m.sums.excessKurtosis))
    )

  for (xx <- Seq(true, false); yy <- Seq(true, false))
    sums(s"pairs, squares of x: $xx, of y: $yy", Kind.doubles, doubles)((_, x) =>
      new Comoments(x.asInstanceOf[DoubleColumn], x.asInstanceOf[DoubleColumn], xx, yy)
    )(p => if (p.count == 0L) Nil else Seq(p.sums.xMean, p.sums.ck))

  /** `make` creates an accumulator over the column, and `read` reads it. */
  private def sums[A, P <: Prefixed with SavableState](
      name: String,
      kind: Kind[A],
      rows: Gen[Vector[Option[A]]]
  )(make: (Memory, Column) => P)(read: P => Seq[Double]): Unit = {
    def all(sums: P) = (bytes(sums), read(sums).map(bits))
    law(name, kind, rows) { (memory, column, reader) =>
      val sums = make(memory, column)
      new Subject(new NonMonotonicSums(memory, sums, reader), all(sums))
    } { (memory, column, from, until) =>
      val sums = make(memory, column)
      sums.enter(from, until)
      try all(sums)
      finally sums.close()
    }
  }

  for {
    kind <- Kind.all
    sign <- Seq(1, -1)
    latest <- Seq(true, false)
  } extremes(kind, sign, latest)

  private def extremes[A](kind: Kind[A], sign: Int, latest: Boolean): Unit =
    picks(s"extremes of ${kind.name}, sign $sign, latest $latest", kind)(
      (memory, c, rows) => new NonMonotonicExtreme(memory, c, c, sign, latest, rows),
      (memory, c) => new SlidingExtreme(memory, c, c, sign, latest)
    )

  for (n <- Seq(1, 3, -1, -4); marked <- Seq(true, false))
    picks(s"row $n, of those not null: $marked", Kind.longs)(
      (memory, c, rows) => new NonMonotonicNth(memory, c, Option.when(marked)(c), n, rows),
      (memory, c) => new SlidingNth(memory, c, Option.when(marked)(c), n)
    )

  private def picks[A](name: String, kind: Kind[A])(
      make: (Memory, Column, Column.Reader) => Pick with NonMonotonic,
      oracle: (Memory, Column) => Pick
  ): Unit =
    law(name, kind, kind.values(Gen.oneOf(sizes, Gen.choose(600, 1200)))) {
      (memory, column, reader) =>
        val pick = make(memory, column, reader)
        new Subject(pick, pick.position)
    } { (memory, column, from, until) =>
      val pick = oracle(memory, column)
      pick.enter(from, until)
      try pick.position
      finally pick.close()
    }

  private def law[A](name: String, kind: Kind[A], rows: Gen[Vector[Option[A]]])(
      make: (Memory, Column, Column.Reader) => Subject
  )(oracle: (Memory, Column, Long, Long) => Any): Unit =
    for (byStart <- Seq(false, true); isForced <- Seq(false, true))
      test(name + (if (byStart) ", by start" else "") + (if (isForced) ", on disk" else "")) {
        forAll(rows, moves) { (values, moves) =>
          val memory =
            if (isForced) CountingMemory.forced(new MemoryPages) else new CountingMemory
          val whole = kind.column(memory)
          whole.addReader(Column.RetainAll)
          values.foreach(kind.append(whole, _))
          val column = kind.column(memory)
          memory.paging.foreach(column.spillTo)
          val kept = new Kept
          column.addReader(kept)
          val subject = make(memory, column, kept)
          val asked = windows(values.size, moves)
          (1 to 2).foreach { _ =>
            column.clear()
            kept.floor = 0L
            subject.leaping.clear()
            (if (byStart) asked.sorted else asked).foreach { case (from, until) =>
              if (byStart) {
                kept.floor = math.min(from, column.size)
                subject.leaping.evictBefore(kept.floor)
              }
              while (column.size < until) {
                kind.append(column, values(column.size.toInt))
                if (byStart) kept.floor = math.min(from, column.size)
              }
              subject.leaping.evaluate(from, until)
              val expected = oracle(memory, whole, from, until)
              assert(subject.result === expected, s"from $from until $until")
            }
          }
          subject.leaping.close()
          column.close()
          whole.close()
          assert(memory.held === 0L)
        }
      }
}

object NonMonotonicSuite {
  private val sizes: Gen[Int] = Gen.choose(0, 300)

  private final class Kept extends Column.Reader {
    var floor = 0L
  }

  private final class Subject(val leaping: NonMonotonic, answer: => Any) {
    def result: Any = answer
  }

  /**
   * A window at any place, in thousandths of all rows, or the previous window moved by a few rows.
   */
  sealed trait ArrayCopy
  final case class Anywhere(a: Int, b: Int) extends ArrayCopy
  final case class By(a: Long, b: Long) extends ArrayCopy

  private val place = Gen.choose(0, 1000)
  private val few = Gen.choose(-9L, 9L)

  private val moves: Gen[Seq[ArrayCopy]] = Gen.listOfN(
    40,
    Gen.oneOf(Gen.zip(place, place).map(Anywhere.tupled), Gen.zip(few, few).map(By.tupled))
  )

  private def windows(rows: Int, moves: Seq[ArrayCopy]): Seq[(Long, Long)] =
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

  private def bytes(saved: SavableState): Seq[Byte] = {
    val out = new ByteArrayOutputStream
    saved.save(new DataOutputStream(out))
    out.toByteArray.toSeq
  }

  private def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value)
}
