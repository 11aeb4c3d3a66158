package io.muntin.kernel.motions

import io.muntin.kernel.Kind
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class RowsBetweenSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  private def sorted[A](kind: Kind[A], size: Int): Gen[Vector[A]] =
    Gen.choose(0, size).flatMap(Gen.containerOfN[Vector, A](_, kind.value))
      .map(_.sorted(kind.order))

  private def anchors[A](kind: Kind[A]): Gen[Vector[(A, A)]] = for {
    size <- Gen.choose(0, 20)
    ends <- Gen.containerOfN[Vector, (A, A)](size, Gen.zip(kind.value, kind.value))
  } yield ends.map { case (a, b) => if (kind.order.lteq(a, b)) (a, b) else (b, a) }
    .sortBy(_._1)(kind.order)

  private def check[A](kind: Kind[A]): Unit =
    forAll(
      Gen.listOfN(2, Gen.zip(sorted(kind, 50), anchors(kind))),
      Gen.oneOf(true, false),
      Gen.oneOf(true, false),
      Gen.oneOf(0L, 9L)
    ) { (groups, withStart, withEnd, first) =>
      val times = kind.column(Memory.Unlimited)
      val (starts, ends) = (kind.column(Memory.Unlimited), kind.column(Memory.Unlimited))
      val between = new RowsBetween(times, starts, ends, withStart, withEnd)
      times.addReader(between)
      groups.foreach { case (rows, windows) =>
        times.clear(first)
        between.startGroup(first)
        var arrived = 0
        def reached = first + arrived
        windows.foreach { case (start, end) =>
          starts.clear()
          ends.clear()
          kind.append(starts, Some(start))
          kind.append(ends, Some(end))
          between.begin(reached)
          while (arrived < rows.size && !between.isPassed(reached)) {
            kind.append(times, Some(rows(arrived)))
            arrived += 1
            between.begin(reached)
          }
          val inside = rows.indices.filter { i =>
            val (a, b) = (kind.order.compare(rows(i), start), kind.order.compare(rows(i), end))
            (a > 0 || withStart && a == 0) && (b < 0 || withEnd && b == 0)
          }
          assert((between.from until between.until(reached)) === inside.map(_ + first))
          assert(between.floor <= between.from)
        }
      }
    }

  /**
   * Anchors as they arrive, after all rows; rows are dropped when no later anchor reaches back to
   * them.
   */
  private def checkInAnyOrder[A](kind: Kind[A]): Unit =
    forAll(
      sorted(kind, 50),
      anchors(kind),
      Gen.oneOf(true, false),
      Gen.oneOf(true, false),
      Gen.long
    ) { (rows, windows, withStart, withEnd, seed) =>
      val times = kind.column(Memory.Unlimited)
      val (starts, ends, least) =
        (
          kind.column(Memory.Unlimited),
          kind.column(Memory.Unlimited),
          kind.column(Memory.Unlimited)
        )
      val between = new RowsBetween(times, starts, ends, withStart, withEnd)
      times.addReader(between)
      times.clear(7L)
      between.startGroup(7L)
      rows.foreach(r => kind.append(times, Some(r)))
      val arrived = 7L + rows.size
      val shuffled = new scala.util.Random(seed).shuffle(windows)
      shuffled.zipWithIndex.foreach { case ((start, end), i) =>
        least.clear()
        kind.append(least, Some(shuffled.drop(i).map(_._1).min(kind.order)))
        between.evictBefore(least, arrived)
        val before = rows.count(r => kind.order.lt(r, shuffled.drop(i).map(_._1).min(kind.order)))
        assert(between.floor === 7L + before)
        starts.clear()
        ends.clear()
        kind.append(starts, Some(start))
        kind.append(ends, Some(end))
        between.seek(arrived)
        val inside = rows.indices.filter { i =>
          val (a, b) = (kind.order.compare(rows(i), start), kind.order.compare(rows(i), end))
          (a > 0 || withStart && a == 0) && (b < 0 || withEnd && b == 0)
        }
        assert((between.from until between.until(arrived)) === inside.map(_ + 7L))
      }
    }

  test("longs")(check(Kind.longs))

  test("anchors in any order") {
    checkInAnyOrder(Kind.longs)
    checkInAnyOrder(Kind.doubles)
  }

  test("doubles, with zeros of both signs and NaN")(check(Kind.doubles))

  test("requests rows only up to the first row after the end") {
    val times = new LongColumn(Memory.Unlimited, nullable = false)
    val (starts, ends) =
      (new LongColumn(Memory.Unlimited, false), new LongColumn(Memory.Unlimited, false))
    val between = new RowsBetween(times, starts, ends, withStart = true, withEnd = true)
    starts.append(3L)
    ends.append(5L)
    val asked = (0L to 100L).takeWhile { time =>
      val more = !between.isPassed(time)
      if (more) times.append(time)
      more
    }
    assert(asked.last === 6L)
  }
}
