package io.muntin.kernel

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.columns.{Column, Slots}
import io.muntin.kernel.memory.Memory

/** Rows that arrive in order and leave in any order, in slots that are reused. */
object Scatter {

  /** The maximum number of rows, and the order in which they leave. */
  final case class Course(width: Int, leaving: Leaving)

  sealed trait Leaving
  case object AnyRow extends Leaving
  case object Oldest extends Leaving
  case object Newest extends Leaving

  /** Sometimes all rows leave. */
  case object All extends Leaving

  val courses: Seq[Course] = for {
    width <- Seq(1, 3, 20, 120)
    leaving <- Seq(AnyRow, Oldest, Newest, All)
  } yield Course(width, leaving)

  /** Groups of `values` one after the other; their slots and column are cleared for each. */
  final class Run[A](kind: Kind[A], memory: Memory) {
    private var oldest = 0L
    val arriving: Column = kind.column(memory)
    arriving.addReader(new Column.Reader { override def floor: Long = oldest })
    val slots = new Slots(memory)
    val column: Column = slots.column(arriving)

    /** `check` receives the present rows, in order; true for a group of its own. */
    def group(values: Seq[Option[A]], course: Course, accumulator: Accumulator, seed: Long)(
        check: Seq[Int] => Any
    ): Unit = {
      val random = new Random(seed)
      arriving.clear()
      slots.clear()
      accumulator.clear()
      check(Nil)
      val there = mutable.LinkedHashMap.empty[Int, Int]
      def leave(row: Int): Unit = {
        val slot = there.remove(row).get.toLong
        accumulator.leave(slot, slot + 1)
        slots.give(slot.toInt)
      }
      values.zipWithIndex.foreach { case (value, row) =>
        oldest = row.toLong
        kind.append(arriving, value)
        // Some rows are missing, so their numbers are missing.
        if (random.nextInt(8) > 0) {
          val slot = slots.take(row.toLong)
          there(row) = slot
          accumulator.enter(slot.toLong, slot + 1L)
          if (random.nextInt(3) > 0) check(there.keys.toSeq)
        }
        val rows = there.keys.toIndexedSeq
        course.leaving match {
          case All => if (rows.size > course.width) random.shuffle(rows).foreach(leave)
          case _ if rows.isEmpty =>
          case AnyRow =>
            val surplus = math.max(0, rows.size - course.width)
            random.shuffle(rows).take(surplus + random.nextInt(2)).foreach(leave)
          case Oldest => rows.take(rows.size - course.width).foreach(leave)
          case Newest => rows.takeRight(rows.size - course.width).foreach(leave)
        }
        check(there.keys.toSeq)
      }
    }

    def close(): Unit = {
      slots.close()
      arriving.close()
    }
  }

  /**
   * Runs every course over some groups of random values, and the courses with many rows with and
   * without the disk. No memory is held afterwards.
   */
  def foreach[A, C <: Accumulator](kind: Kind[A])(make: (Run[A], Memory) => C)(
      check: (C, Run[A], Seq[Int], Seq[Option[A]]) => Any
  ): Unit = {
    var read = 0
    for (
      (course, i) <- courses.zipWithIndex; onDisk <- Seq(false, true)
      if course.width > 64 || !onDisk
    ) {
      val store = new MemoryPages
      val memory = if (onDisk) CountingMemory.forced(store) else new CountingMemory
      val run = new Run(kind, memory)
      val made = make(run, memory)
      (0 until 3).foreach { g =>
        val seed = 100L * i + g
        val values = kind
          .values(org.scalacheck.Gen.const(if (g == 1) 15 else 150))
          .pureApply(org.scalacheck.Gen.Parameters.default, org.scalacheck.rng.Seed(seed))
        run.group(values, course, made, seed)(there => check(made, run, there, values))
      }
      made.close()
      run.close()
      assert(memory.held == 0L, s"held after $course")
      assert(store.held == 0, s"on disk after $course")
      read += store.read
    }
    assert(read > 0, "nothing has been on disk")
  }
}
