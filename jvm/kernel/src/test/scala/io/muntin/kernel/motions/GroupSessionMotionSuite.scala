package io.muntin.kernel.motions

import io.muntin.kernel.HeldRows
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{DoubleColumn, LongColumn}
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class GroupSessionMotionSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  private type Found = (Long, Long, Seq[Long])

  private val groups = Gen.nonEmptyListOf(SessionMotionSuite.someTimes.map(_.flatten))

  private def windows(times: Seq[Long], gap: Long): Seq[Found] = {
    val numbers =
      SessionMotionSuite.sessions(times.map(t => Some(BigDecimal(t))), BigDecimal(gap))
    times.indices.groupBy(numbers(_)).toSeq.sortBy(_._1).map { case (_, rows) =>
      (times(rows.head), times(rows.last) + gap, rows.map(_.toLong))
    }
  }

  test("each session is emitted when a row is more than a gap after it") {
    forAll(groups, Gen.choose(1L, 12L), Gen.oneOf(true, false), Gen.choose(0L, 40L)) {
      (groups, gap, drain, further) =>
        val column = new LongColumn(Memory.Unlimited, nullable = false)
        val known = if (drain) Long.MinValue else groups.map(_.last).max + further
        val times = new LongSessionTimes(column, column, gap, false, known)
        val motion = new GroupSessionMotion(times, column, "t", drain)
        column.addReader(motion)
        val held = new HeldRows(evicts = false)
        motion.drive(held)
        groups.foreach { rows =>
          val expected = windows(rows, gap)
          column.clear()
          motion.startPartition()
          var told = 0
          def tell(arrived: Int, ended: Boolean): Unit =
            while (motion.next(arrived.toLong, ended)) {
              val (start, end, inside) = expected(told)
              assert(times.first === start)
              assert(times.last + gap === end)
              assert(held.rows === inside)
              told += 1
            }
          rows.indices.foreach { i =>
            column.append(rows(i))
            motion.arrive(i + 1L)
            tell(i + 1, ended = false)
            assert(told === expected.count(_._3.last < i))
          }
          tell(rows.size, ended = true)
          assert(told === (if (drain) expected.size else expected.count(_._2 < known)))
        }
    }
  }

  test("rows that represent several rows: a session reaches from the first to the last of them") {
    val firsts = new LongColumn(Memory.Unlimited, nullable = false)
    val lasts = new LongColumn(Memory.Unlimited, nullable = false)
    val times = new LongSessionTimes(firsts, lasts, 10L, false, Long.MinValue)
    val motion = new GroupSessionMotion(times, firsts, "t", drain = true)
    motion.startPartition()
    // The second row is among the rows that the first represents.
    val rows = Seq(1L -> 8L, 2L -> 3L, 12L -> 19L, 30L -> 31L)
    rows.zipWithIndex.foreach { case ((first, last), i) =>
      firsts.append(first)
      lasts.append(last)
      motion.arrive(i + 1L)
    }
    val found = Iterator.continually(motion.next(4L, ended = true)).takeWhile(identity)
      .map(_ => (times.first, times.last, motion.size)).toSeq
    assert(found === Seq((1L, 19L, 3L), (30L, 31L, 1L)))
  }

  test("doubles that represent several rows") {
    val firsts = new DoubleColumn(Memory.Unlimited, nullable = false)
    val lasts = new DoubleColumn(Memory.Unlimited, nullable = false)
    val times = new DoubleSessionTimes(firsts, lasts, 1.5, false, Double.NegativeInfinity)
    val motion = new GroupSessionMotion(times, firsts, "t", drain = true)
    motion.startPartition()
    Seq(1.0 -> 2.0, 1.25 -> 1.25, 3.0 -> 4.0).zipWithIndex.foreach { case ((first, last), i) =>
      firsts.append(first)
      lasts.append(last)
      motion.arrive(i + 1L)
    }
    assert(motion.next(3L, ended = true))
    assert((times.first, times.last, motion.size) === ((1.0, 4.0, 3L)))
  }

  test("doubles") {
    val column = new DoubleColumn(Memory.Unlimited, nullable = false)
    val times = new DoubleSessionTimes(column, column, 0.5, false, 3.0)
    val motion = new GroupSessionMotion(times, column, "t", drain = false)
    motion.startPartition()
    val rows = Seq(0.25, 0.5, 1.0, 1.25, 2.5, 2.75)
    rows.zipWithIndex.foreach { case (time, i) =>
      column.append(time)
      motion.arrive(i + 1L)
    }
    val found = Iterator.continually(motion.next(6L, ended = true)).takeWhile(identity)
      .map(_ => (times.first, times.last)).toSeq
    assert(found === Seq((0.25, 1.25)))
  }

  test("a row without a time is rejected") {
    val column = new LongColumn(Memory.Unlimited, nullable = true)
    val times = new LongSessionTimes(column, column, 1L, false, Long.MinValue)
    val motion = new GroupSessionMotion(times, column, "seen", drain = true)
    motion.startPartition()
    column.appendNull()
    val error = intercept[InvalidWindowRowException](motion.arrive(1L))
    assert(error.condition === "MUNTIN_NULL_WINDOW_FIELD")
    assert(error.parameters === Map("parameter" -> "time", "field" -> "seen"))
  }
}
