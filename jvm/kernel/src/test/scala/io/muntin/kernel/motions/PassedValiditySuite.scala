package io.muntin.kernel.motions

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{Accumulator, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/**
 * Validity of a part of a group: from one start, with the rows that are valid there, until another
 * start, which the rows that start there determine. Compared with the same part of the whole
 * group's windows, by definition.
 */
class PassedValiditySuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ValidityMotionSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  Seq[Kind[_]](Kind.longs, Kind.doubles, Kind.int128s).foreach(kind => register(kind))

  private var parts = 0
  private var halos = 0

  private def register[A](kind: Kind[A]): Unit = {
    val order = kind.order

    def isBetween(time: A, from: Option[A], until: Option[A]) =
      from.forall(order.lteq(_, time)) && until.forall(order.lt(time, _))

    // Some of the starts, as cuts.
    def cuts(starts: Vector[A], seed: Long): Seq[(Option[A], Option[A])] = {
      val random = new Random(seed)
      val chosen = starts
        .filter(_ => random.nextInt(4) == 0)
        .distinct
        .sorted(order)
        .map(Option(_))
      (None +: chosen).zip(chosen :+ None).filterNot { case (a, b) =>
        a.exists(x => b.exists(order.equiv(x, _)))
      }
    }

    test(s"${kind.name}: pieces that begin in a part") {
      forAll(cases(kind)) { c =>
        c.groups.foreach { rows =>
          // If only rows that are never valid start there, no piece ends.
          val breaking = rows.collect { case (a, b) if !b.exists(order.equiv(_, a)) => a }
          cuts(breaking, c.seed).foreach { case (from, until) =>
            val found = part(kind, c, rows, from, until, byElement = false)
            val whole = pieces(order, rows, c.cuts, c.horizon)
            assert(shown(found) === shown(whole.filter(w => isBetween(w.from, from, until))))
          }
        }
      }
    }

    test(s"${kind.name}: the rows of a part") {
      forAll(cases(kind)) { c =>
        c.groups.foreach { rows =>
          cuts(rows.map(_._1), c.seed).foreach { case (from, until) =>
            val found = part(kind, c, rows, from, until, byElement = true)
            val whole = elements(order, rows)
            assert(shown(found) === shown(whole.filter(w => isBetween(w.from, from, until))))
          }
        }
      }
    }
  }

  test("many parts have rows that begin before the part") {
    assert(parts > 1000)
    assert(halos * 5 > parts)
  }

  // Zeros of both signs are one time, and so is NaN.
  private def shown[A](windows: Seq[Window[A]]): Seq[Window[Any]] = {
    def one(time: A): Any = time match {
      case x: Double => (x + 0.0).toString
      case other => other
    }
    windows.map(w => Window(one(w.from), w.to.map(one), w.rows))
  }

  private def part[A](
      kind: Kind[A],
      c: Case[A],
      rows: Rows[A],
      from: Option[A],
      until: Option[A],
      byElement: Boolean
  ): Seq[Window[A]] = {
    val order = kind.order
    val before = rows.indices.filter { i =>
      val (start, end) = rows(i)
      from.exists(a => order.lt(start, a) && end.forall(order.gt(_, a)))
    }
    val own = rows.indices.filter { i =>
      from.forall(order.lteq(_, rows(i)._1)) && until.forall(order.gt(_, rows(i)._1))
    }
    val behind = rows.indices.filter(i => !byElement && until.exists(order.equiv(_, rows(i)._1)))
    parts += 1
    if (before.nonEmpty) halos += 1

    val memory = Memory.Unlimited
    val (starts, ends) = (kind.column(memory), kind.column(memory))
    val numbers = new LongColumn(memory, false)
    val slots = new Slots(memory)
    def column(values: Iterable[A]): Column = {
      val made = kind.column(memory)
      made.addReader(new Column.Reader { override def floor: Long = 0L })
      values.foreach(v => kind.append(made, Some(v)))
      made
    }
    val motion =
      if (byElement) new ElementMotion(memory, starts, ends, slots)
      else {
        val horizon = c.horizon.map(h => column(Seq(h)))
        new PieceMotion(memory, starts, ends, slots, c.cuts.map(column), horizon)
      }
    Seq(starts, ends, numbers).foreach(_.addReader(motion))
    val there = mutable.SortedSet.empty[Int]
    val number = slots.column(numbers).asInstanceOf[LongColumn]
    motion.drive(new Accumulator {
      override def anyOrder: Boolean = true
      override def clear(): Unit = there.clear()
      override def enter(from: Long, until: Long): Unit = there.add(number(from).toInt): Unit
      override def leave(from: Long, until: Long): Unit = there.remove(number(from).toInt): Unit
    })
    motion.startPartition()
    val found = Vector.newBuilder[Window[A]]
    var arrived = 0L
    def arrive(i: Int): Unit = {
      kind.append(starts, Some(rows(i)._1))
      kind.append(ends, rows(i)._2)
      numbers.append(i.toLong)
      arrived += 1
      motion.arrive(arrived)
    }
    def go(ended: Boolean): Unit = while (motion.next(arrived, ended))
      found += Window(
        kind.read(motion.bounds, motion.from).get,
        kind.read(motion.bounds, motion.to),
        there.toSeq
      )
    before.foreach(arrive)
    if (before.nonEmpty) motion.passOver(arrived)
    (own ++ behind).foreach { i =>
      arrive(i)
      go(ended = false)
    }
    if (behind.isEmpty) go(ended = true)
    found.result()
  }
}
