package io.muntin.kernel.motions

import scala.annotation.tailrec

import io.muntin.kernel.{HeldRows, SampledTests}
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class TickMotionSuite extends SampledTests with ScalaCheckPropertyChecks {

  import TickMotionSuite._

  private val someTicks = for {
    period <- Gen.choose(1, 30)
    remainders <- Gen.nonEmptyListOf(Gen.choose(0, period - 1))
  } yield Repeating(period, remainders.toSet)

  private val someTimes = for {
    step <- Gen.oneOf(1, 3, 40)
    first <- Gen.choose(-50L, 50L)
    steps <- Gen.choose(0, 150).flatMap(Gen.listOfN(_, Gen.choose(0L, step.toLong)))
  } yield steps.scanLeft(first)(_ + _)

  private val someGroups = Gen.choose(1, 8).flatMap(Gen.listOfN(_, someTimes))

  private type Window = (Long, Long, Seq[Long])

  /** By definition; `times` are in ascending order. */
  private def expected(times: Array[Long], ticks: Ticks, span: Int, last: Long): Array[Window] = {
    // Both ends of the windows ascend too.
    var first = 0
    var until = 0
    Iterator
      .iterate(ticks.atOrAfter(times.head))(t => ticks.atOrAfter(t + 1L))
      .takeWhile(_ <= last)
      .map { end =>
        val start = Iterator.iterate(end)(ticks.before).drop(span).next()
        while (span > 0 && first < times.length && times(first) <= start) first += 1
        while (until < times.length && times(until) <= end) until += 1
        (start, end, first.toLong until until.toLong)
      }
      .toArray
  }

  sampledTest("a window for each tick, as soon as it is final") {
    forAll(someGroups, someTicks, Gen.oneOf(0, 1, 2, 5), Gen.choose(-60L, 60L)) {
      (groups, ticks, span, further) =>
        val column = new LongColumn(Memory.Unlimited, nullable = false)
        val last = groups.map(_.last).max + further
        val motion = new TickMotion(column, ticks, span, last)
        column.addReader(motion)
        assert(motion.evicts === span > 0)
        val held = new HeldRows(motion.evicts)
        motion.drive(held)
        groups.map(_.toArray).foreach { times =>
          column.clear()
          motion.startPartition()
          val windows = expected(times, ticks, span, last)
          var told = 0
          var passed = 0
          def tell(arrived: Int, ended: Boolean) = {
            while (motion.next(arrived.toLong, ended)) {
              val (start, end, rows) = windows(told)
              assert(motion.closes === end)
              if (span > 0) assert(motion.opens === start)
              assert(held.rows === rows)
              assert(motion.size === rows.size)
              told += 1
            }
            if (!ended) {
              while (passed < windows.length && windows(passed)._2 < times(arrived - 1)) passed += 1
              assert(told === passed)
            }
          }
          times.indices.foreach { i =>
            column.append(times(i))
            motion.arrive(i + 1L)
            tell(i + 1, ended = false)
          }
          tell(times.length, ended = true)
          assert(told === windows.length)
        }
    }
  }

  test("rows that windows do not need are dropped") {
    def floorAt1000(span: Int) = {
      val column = new LongColumn(Memory.Unlimited, nullable = false)
      val motion = new TickMotion(column, Repeating(10, Set(0)), span, 2000L)
      column.addReader(motion)
      motion.startPartition()
      (0 to 1000).foreach { i =>
        column.append(i.toLong)
        while (motion.next(i + 1L, ended = false)) {}
      }
      motion.floor
    }
    assert(floorAt1000(1) === 981)
    assert(floorAt1000(5) === 941)
    assert(floorAt1000(0) === 991)
  }
}

object TickMotionSuite {

  /** Ticks at values whose remainder by `period` is one of some numbers. */
  final case class Repeating(period: Int, remainders: Set[Int]) extends Ticks {
    private def isTick(time: Long) = remainders(Math.floorMod(time, period.toLong).toInt)

    @tailrec
    override def atOrAfter(time: Long): Long = if (isTick(time)) time else atOrAfter(time + 1L)

    @tailrec
    override def before(time: Long): Long =
      if (isTick(time - 1L)) time - 1L else before(time - 1L)
  }
}
