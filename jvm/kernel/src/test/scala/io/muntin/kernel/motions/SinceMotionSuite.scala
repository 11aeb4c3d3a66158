package io.muntin.kernel.motions

import io.muntin.kernel.{HeldRows, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.extremes.SlidingExtreme
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SinceMotionSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  private val partitions = for {
    rarity <- Gen.oneOf(1, 3, 30)
    flag = Gen.frequency(1 -> Gen.const(true), rarity -> Gen.const(false))
    partitions <- Gen.nonEmptyListOf(Gen.choose(0, 90).flatMap(Gen.listOfN(_, flag)))
  } yield partitions

  /**
   * By definition: everything after the count-th most recent dividing row before this row. With
   * `opens`, everything from the count-th most recent dividing row on, which may be this row.
   */
  private def window(divides: Seq[Boolean], row: Int, count: Int, opens: Boolean): Seq[Long] = {
    val dividing = (0 until (if (opens) row + 1 else row)).filter(divides)
    val from =
      if (dividing.size < count) 0
      else dividing(dividing.size - count) + (if (opens) 0 else 1)
    from.toLong to row.toLong
  }

  test("everything since the n-th most recent closing row") {
    forAll(partitions, Gen.oneOf(1, 2, 5, Int.MaxValue), Gen.oneOf(true, false)) {
      (partitions, count, opens) =>
        val closing = new LongColumn(Memory.Unlimited, nullable = true)
        val motion = new SinceMotion(closing, count, opens)
        closing.addReader(motion)
        val held = new HeldRows(motion.evicts)
        motion.drive(held)
        partitions.foreach { closes =>
          closing.clear()
          motion.startPartition()
          closes.indices.foreach { row =>
            if (closes(row)) closing.append(1L) else closing.appendNull()
            motion.arrive(row + 1L)
            assert(motion.isReady(row.toLong, row + 1L, ended = false))
            motion.advance(row.toLong)
            assert(held.rows === window(closes, row, count, opens))
            assert(held.rows === (motion.start until motion.end))
            assert(motion.hasResult)
          }
        }
    }
  }

  test("a window that starts again reads each row once; other windows read rows again") {
    def floorAt100(count: Int, opens: Boolean): Long = {
      val closing = new LongColumn(Memory.Unlimited, nullable = true)
      val motion = new SinceMotion(closing, count, opens)
      closing.addReader(motion)
      motion.startPartition()
      (0L to 100L).foreach { row =>
        if (row % 10 == 0) closing.append(1L) else closing.appendNull()
        motion.advance(row)
      }
      motion.floor
    }
    assert(Seq(false, true).map(floorAt100(1, _)) === Seq(101, 101))
    assert(Seq(false, true).map(floorAt100(3, _)) === Seq(71, 80))
  }

  test("from replayed rows on: selected rows are rows of the window") {
    val rows =
      Gen.nonEmptyListOf(Gen.zip(Gen.oneOf(true, false, false, false), Kind.strings.nullable))
    val kinds = Gen.zip(Gen.oneOf(2, 3), Gen.oneOf(true, false))
    forAll(rows, kinds, Gen.listOf(Gen.choose(0, 12)), Gen.choose(0, 9)) {
      case (rows, (count, opens), cuts, earlier) =>
        val closing = new LongColumn(Memory.Unlimited, nullable = true)
        val values = Kind.strings.column(Memory.Unlimited)
        val motion = new SinceMotion(closing, count, opens)
        val greatest = new SlidingExtreme(Memory.Unlimited, values, values, 1, latest = false)
        motion.drive(greatest)
        Seq(closing, values).foreach(_.addReader(motion))
        def append(row: Int): Unit = {
          if (rows(row)._1) closing.append(1L) else closing.appendNull()
          Kind.strings.append(values, rows(row)._2)
        }
        var next = 0
        motion.startPartition()
        (cuts.map(_ + 1) :+ rows.size).foreach { size =>
          val first = math.max(0, motion.oldestNeeded(next.toLong).toInt - earlier)
          Seq(closing, values).foreach(_.clear(first.toLong))
          motion.startPartition(first.toLong)
          (first until next).foreach(append)
          (first until next).foreach(row => motion.advance(row.toLong): Unit)
          (next until math.min(rows.size, next + size)).foreach { row =>
            append(row)
            motion.advance(row.toLong): Unit
            val inside = window(rows.map(_._1), row, count, opens).map(r => rows(r.toInt)._2)
            val found =
              if (greatest.position < 0L) None else Kind.strings.read(values, greatest.position)
            assert(found === inside.flatten.maxOption)
            next = row + 1
          }
        }
    }
  }

  test("if every row closes a part, each row is a separate window") {
    for (opens <- Seq(false, true)) {
      val column = new LongColumn(Memory.Unlimited, nullable = false)
      val motion = new SinceMotion(column, 1, opens)
      val held = new HeldRows(evicts = false)
      motion.drive(held)
      motion.startPartition()
      (0L to 9L).foreach { row =>
        motion.advance(row)
        assert(held.rows === Seq(row))
      }
    }
  }
}
