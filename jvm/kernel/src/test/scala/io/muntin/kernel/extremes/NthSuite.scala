package io.muntin.kernel.extremes

import scala.util.Random

import io.muntin.kernel.{CountingMemory, Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{ColumnSuite, LongColumn}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class NthSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import NthSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 150)

  test("if rows leave, the n-th row of the frame, or the n-th that is present") {
    forAll(nth, cases(Walk.sliding)) { (n, c) =>
      val memory = new CountingMemory
      val held = new Held(Kind.longs, memory, c.junk)
      val column = held.column
      val all = new SlidingNth(memory, column, None, n)
      val present = new SlidingNth(memory, column, Some(column), n)
      c.partitions.foreach { case (walk, values) =>
        Walk.foreach(walk, Seq(held), new ExtremeSuite.Both(all, present)) { p =>
          held.append(values(p))
        } { rows =>
          assert(all.position === pick(rows, n))
          assert(present.position === pick(rows.filter(values(_).isDefined), n))
        }
      }
      all.close()
      present.close()
      column.close()
      assert(memory.held === 0L)
    }
  }

  Kind.all.foreach(kind => registerRunning(kind))

  private def registerRunning[A](kind: Kind[A]): Unit =
    test(s"${kind.name}: if rows only enter, the n-th row's value, null or not") {
      forAll(nth, ExtremeSuite.cases(kind, Walk.growing)) { (n, c) =>
        val memory = new CountingMemory
        val held = new Held(kind, memory, c.junk)
        val marks = new Held(Kind.longs, memory, Vector(None, Some(1L)))
        val all = new RunningNth(held.column, None, n)
        val present = new RunningNth(held.column, Some(held.column), n)
        // Rows that count by another column (FILTER): a null is an ordinary value.
        val marked = new RunningNth(held.column, Some(marks.column), n)
        val every = new ExtremeSuite.Both(all, new ExtremeSuite.Both(present, marked))
        c.partitions.foreach { case (walk, values) =>
          Walk.foreach(walk, Seq(held, marks), every, evicts = false) { p =>
            held.append(values(p))
            marks.append(if (p % 3 == 0) Some(0L) else None)
          } { rows =>
            check(all, rows)
            check(present, rows.filter(values(_).isDefined))
            check(marked, rows.filter(_ % 3 == 0))

            def check(nth: RunningNth, counting: Seq[Int]): Assertion = {
              val expected = pick(counting, n)
              if (expected == Pick.None) assert(nth.position === Pick.None)
              else {
                assert(nth.position !== Pick.None)
                val value = kind.read(nth.values, nth.position)
                assert(ColumnSuite.same(value, values(expected.toInt)))
              }
            }
          }
        }
        every.close()
        Seq(all, present, marked).foreach(_.close())
        held.column.close()
        marks.column.close()
        assert(memory.held === 0L)
      }
    }

  test("counted from the end, earlier rows than needed are dropped") {
    val column = new LongColumn(Memory.Unlimited, true)
    val random = new Random(5)
    val size = 400
    (0 until size).foreach { i =>
      if (random.nextInt(3) == 0) column.appendNull() else column.append(i.toLong)
    }
    for (n <- 1 to 40) {
      val nth, other = new RunningNth(column, Some(column), -n)
      assert(nth.forgets)
      nth.enter(0L, size.toLong)
      val cut = (size - 1 to 0 by -1).filterNot(i => column.isNull(i.toLong)).apply(n - 1)
      val middle = random.nextInt(cut + 1).toLong
      other.enter(middle, cut.toLong)
      other.enter(0L, middle)
      other.enter(cut.toLong, size.toLong)
      def value(of: RunningNth) = of.values.asInstanceOf[LongColumn](of.position)
      assert(value(nth) === value(other))
      assert(value(nth) === cut.toLong)
      assert(!new RunningNth(column, None, n).forgets)
    }
  }

  test("rows do not leave a growing frame") {
    val column = new LongColumn(Memory.Unlimited, false)
    column.append(1L)
    val first = new RunningNth(column, None, 1)
    first.enter(0, 1)
    assertThrows[UnsupportedOperationException](first.leave(0, 1))
  }
}

object NthSuite {

  /** Sometimes more rows than the initial size of a column. */
  val nth: Gen[Int] =
    Gen.frequency(6 -> Gen.oneOf(-4 to 4), 2 -> Gen.choose(-150, 150)).suchThat(_ != 0)

  def cases(walk: Gen[Walk]): Gen[ExtremeSuite.Case[Long]] = ExtremeSuite.cases(Kind.longs, walk)

  def pick(rows: Seq[Int], n: Int): Long = {
    val counted = if (n > 0) rows else rows.reverse
    counted.lift(math.abs(n) - 1).fold(Pick.None)(_.toLong)
  }
}
