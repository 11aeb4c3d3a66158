package io.muntin.kernel.motions

import io.muntin.kernel.HeldRows
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SlidingMotionSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  private val partitions =
    Gen.nonEmptyListOf(Gen.choose(0, 90).flatMap(Gen.listOfN(_, Gen.oneOf(true, true, false))))
  private val sizes = Gen.oneOf(1L, 2L, 7L, 64L, Int.MaxValue.toLong)

  /**
   * Walks through the partitions; records the window's rows at each row, and whether it has a
   * result.
   */
  private def walked(
      partitions: Seq[Seq[Boolean]],
      size: Long,
      partial: Boolean,
      everyRow: Boolean
  ): Seq[Seq[(Seq[Long], Boolean)]] = {
    val counted = new LongColumn(Memory.Unlimited, nullable = false)
    val motion = new SlidingMotion(if (everyRow) null else counted, size, partial)
    val held = new HeldRows(evicts = true)
    motion.drive(held)
    partitions.map { partition =>
      counted.clear()
      motion.startPartition()
      var count = 0L
      partition.indices.map { row =>
        if (partition(row)) count += 1
        counted.append(count)
        motion.arrive(row + 1L)
        assert(motion.isReady(row.toLong, row + 1L, ended = false))
        val before = held.rows
        val changed = motion.advance(row.toLong)
        assert(changed || (row > 0 && held.rows == before))
        assert(held.rows === (motion.start until motion.end))
        assert(motion.floor === motion.start)
        (held.rows, motion.hasResult)
      }
    }
  }

  test("the most recent of all rows") {
    forAll(partitions, sizes) { (partitions, size) =>
      walked(partitions, size, partial = true, everyRow = true).foreach { windows =>
        windows.zipWithIndex.foreach { case ((rows, answers), i) =>
          assert(rows === (0L to i.toLong).takeRight(size.toInt))
          assert(answers)
        }
      }
    }
  }

  test("the most recent of the rows that count, numbered separately") {
    forAll(partitions, sizes) { (partitions, size) =>
      walked(partitions, size, partial = false, everyRow = false).zip(partitions).foreach {
        case (windows, counts) =>
          windows.zipWithIndex.foreach { case ((rows, answers), i) =>
            val counted = counts.take(i + 1).count(identity)
            assert(rows === (0L until counted.toLong).takeRight(size.toInt))
            assert(answers === (counted >= size))
          }
      }
    }
  }
}
