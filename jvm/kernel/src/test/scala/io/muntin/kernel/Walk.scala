package io.muntin.kernel

import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen

/**
 * Overwrites the rows of a column as soon as no reader needs them, so that a later read of these
 * rows is detected immediately, and not only when the ring wraps around.
 */
final class Forgetting(column: Column, junk: Column) {
  private var next = 0L

  def startPartition(): Unit = next = 0L

  /** Called before the next append, while the rows are still in their slots. */
  def forget(floor: Long): Unit =
    while (next < math.min(floor, column.size)) {
      val position = next % junk.size
      if (column.isNullable || !junk.isNull(position)) column.set(next, junk, position)
      next += 1
    }
}

object Forgetting {
  def apply[A](kind: Kind[A], column: Column, junk: Seq[Option[A]]): Forgetting = {
    val values = kind.column(Memory.Unlimited)
    values.addReader(new Column.Reader { override def floor: Long = 0L })
    junk.foreach(kind.append(values, _))
    new Forgetting(column, values)
  }
}

/** A partition of n rows, and frames over it whose ends move forward by steps of any size. */
final case class Walk(rows: Int, frames: Vector[(Int, Int)])

object Walk {
  private val steps: Gen[Gen[(Int, Int)]] = Gen.oneOf(
    Gen.zip(Gen.choose(0, 3), Gen.choose(0, 3)),
    Gen.zip(Gen.const(1), Gen.const(1)),
    Gen.zip(Gen.choose(0, 2), Gen.choose(0, 40)),
    Gen.zip(Gen.frequency(8 -> Gen.choose(0, 2), 1 -> Gen.choose(0, 120)), Gen.choose(0, 4)),
    Gen.zip(Gen.choose(0, 90), Gen.choose(0, 90))
  )

  /** Frames that move along, jump past their end, stay empty, or only shrink. */
  val sliding: Gen[Walk] = for {
    rows <- Gen.choose(0, 300)
    first <- Gen.oneOf(Gen.const(0), Gen.choose(0, rows), Gen.const(rows))
    step <- steps
    taken <- Gen.listOfN(rows, step)
  } yield Walk(rows, along(rows, taken.scanLeft((0, first))(add)))

  val growing: Gen[Walk] = for {
    rows <- Gen.choose(0, 300)
    step <- steps
    taken <- Gen.listOfN(rows, step)
  } yield Walk(rows, along(rows, taken.map(s => (0, s._2)).scanLeft((0, 0))(add)))

  private def add(a: (Int, Int), b: (Int, Int)): (Int, Int) = (a._1 + b._1, a._2 + b._2)

  private def along(rows: Int, ends: List[(Int, Int)]): Vector[(Int, Int)] =
    ends.takeWhile(_._1 <= rows).toVector.map { case (lo, hi) =>
      val end = math.min(rows, hi)
      (math.min(lo, end), end)
    }

  /** Drives an accumulator over the frames of a partition, like a motion. */
  def foreach(
      walk: Walk,
      columns: Seq[Held[_]],
      accumulator: Accumulator,
      evicts: Boolean = true
  )(append: Int => Unit)(check: Range => Any): Unit = {
    var lo = 0
    var hi = 0
    columns.foreach(_.startPartition())
    accumulator.clear()
    for ((newLo, newHi) <- walk.frames) {
      for (p <- columns.head.column.size.toInt until newHi) append(p)
      if (newLo >= hi) {
        if (hi > lo) accumulator.clear()
        if (newLo < newHi) accumulator.enter(newLo.toLong, newHi.toLong)
      } else {
        if (newLo > lo) accumulator.leave(lo.toLong, newLo.toLong)
        if (newHi > hi) accumulator.enter(hi.toLong, newHi.toLong)
      }
      lo = newLo
      hi = newHi
      columns.foreach(_.forget(if (evicts) lo.toLong else hi.toLong))
      check(lo until hi)
    }
  }
}

/** A column that stores the rows of a frame and drops all others. */
final class Held[A](kind: Kind[A], memory: Memory, junk: Vector[Option[A]]) {
  val column: Column = kind.column(memory)
  private val forgetting = Forgetting(kind, column, junk)
  private var floor = 0L

  column.addReader(new Column.Reader { override def floor: Long = Held.this.floor })

  def append(value: Option[A]): Unit = kind.append(column, value)

  def startPartition(): Unit = {
    column.clear()
    forgetting.startPartition()
    floor = 0L
  }

  def forget(until: Long): Unit = {
    forgetting.forget(until)
    floor = until
  }
}
