package io.muntin.kernel.motions

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{Accumulator, CountingMemory, Held, Kind}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ValidityMotionSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ValidityMotionSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit = {
    test(s"${kind.name}: a window for each piece with a constant set of rows") {
      forAll(cases(kind)) { c =>
        val found = driven(kind, c, byElement = false, new CountingMemory)
        c.groups.zip(found).foreach { case (rows, windows) =>
          assert(shown(windows) === shown(pieces(kind.order, rows, c.cuts, c.horizon)))
        }
      }
    }

    test(s"${kind.name}: a window for each row") {
      forAll(cases(kind)) { c =>
        val found = driven(kind, c, byElement = true, new CountingMemory)
        c.groups.zip(found).foreach { case (rows, windows) =>
          assert(shown(windows) === shown(elements(kind.order, rows)))
        }
      }
    }
  }

  // Zeros of both signs are one time, and so is NaN.
  private def shown[A](windows: Seq[Window[A]]): Seq[Window[Any]] = {
    def one(time: A): Any = time match {
      case x: Double => (x + 0.0).toString
      case other => other
    }
    windows.map(w => Window(one(w.from), w.to.map(one), w.rows))
  }

  test("rows that are valid forever leave with their group") {
    val groups = Seq(Vector((1L, None), (2L, Some(5L))), Vector((0L, Some(1L)), (7L, None)))
    val found =
      driven(Kind.longs, Case(groups, None, None, 1L), byElement = false, new CountingMemory)
    assert(found === Seq(
      Seq(
        Window(1L, Some(2L), Seq(0)),
        Window(2L, Some(5L), Seq(0, 1)),
        Window(5L, None, Seq(0))
      ),
      Seq(Window(0L, Some(1L), Seq(0)), Window(7L, None, Seq(1)))
    ))
  }

  test("invalid rows are rejected") {
    def refused(start: Option[Long], end: Option[Long]): InvalidWindowRowException = {
      val (starts, ends) =
        (Kind.longs.column(Memory.Unlimited), Kind.longs.column(Memory.Unlimited))
      val slots = new Slots(Memory.Unlimited)
      val motion = new PieceMotion(Memory.Unlimited, starts, ends, slots, None, None)
      motion.startPartition()
      Kind.longs.append(starts, start)
      Kind.longs.append(ends, end)
      intercept[InvalidWindowRowException](motion.arrive(1L))
    }
    assert(refused(None, Some(1L)).condition === "MUNTIN_NULL_VALIDITY_START")
    assert(refused(None, None).condition === "MUNTIN_NULL_VALIDITY_START")
    assert(refused(Some(3L), Some(2L)).condition === "MUNTIN_VALIDITY_ENDS_BEFORE_START")
  }

  test("memory depends on the rows that are valid at one time, even if one row stays long") {
    val memory = new CountingMemory
    val (starts, ends) = (new LongColumn(memory, false), new LongColumn(memory, true))
    val slots = new Slots(memory)
    val motion = new PieceMotion(memory, starts, ends, slots, None, None)
    Seq(starts, ends).foreach(_.addReader(motion))
    motion.startPartition()
    val random = new Random(1)
    var most = 0L
    (0L until 200000L).foreach { t =>
      starts.append(t)
      if (t == 0L) ends.appendNull()
      else if (t == 1L) ends.append(199999L)
      else ends.append(t + random.nextInt(100))
      motion.arrive(t + 1)
      while (motion.next(t + 1, ended = false)) most = math.max(most, memory.held)
    }
    assert(motion.size <= 102L && slots.capacity <= 102)
    assert(most < 20000L, s"$most bytes")
    motion.close()
    slots.close()
    starts.close()
    ends.close()
    assert(memory.held === 0L)
  }

  test("for any rejected request, all memory is released") {
    val c = cases(Kind.strings, Gen.const(300)).pureApply(Gen.Parameters.default, Seed(3L))
    val counting = new CountingMemory
    driven(Kind.strings, c, byElement = false, counting): Unit
    val before = constructed(Kind.strings)
    assert(counting.requests > before + 3)
    (before + 1 to counting.requests).foreach { k =>
      val memory = new CountingMemory(k)
      assertThrows[CountingMemory.Refused](driven(Kind.strings, c, byElement = false, memory))
      assert(memory.held === 0L, s"after request $k of ${counting.requests}")
    }
  }
}

object ValidityMotionSuite {
  type Rows[A] = Vector[(A, Option[A])]

  final case class Case[A](
      groups: Seq[Rows[A]],
      cuts: Option[Vector[A]],
      horizon: Option[A],
      seed: Long
  )

  final case class Window[A](from: A, to: Option[A], rows: Seq[Int])

  def cases[A](kind: Kind[A], size: Gen[Int] = Gen.oneOf(0, 1, 2, 10, 80)): Gen[Case[A]] = {
    // Few distinct times, so that many are equal, or many.
    def rows(times: Vector[A]) = for {
      n <- size
      time = Gen.oneOf(times)
      short <- Gen.oneOf(true, false)
      drawn <- Gen.containerOfN[Vector, (A, Option[A])](
        n,
        for {
          a <- time
          b <- time
          next = times.filter(kind.order.gteq(_, a)).sorted(kind.order).drop(2).headOption
          end <- Gen.frequency(
            20 -> (if (short) next.orElse(Some(b)) else Some(b)),
            1 -> Option.empty[A]
          )
        } yield end match {
          case Some(e) if kind.order.lt(e, a) => (e, Some(a))
          case other => (a, other)
        }
      )
    } yield drawn.sortBy(_._1)(kind.order)

    for {
      many <- Gen.oneOf(3, 10, 60)
      times <- Gen.containerOfN[Vector, A](many, kind.value)
      groups <- Gen.listOfN(3, rows(times))
      cuts <- Gen.option(Gen.someOf(times).map(distinct(kind.order, _)))
      horizon <- Gen.option(Gen.oneOf(times))
      seed <- Gen.long
    } yield Case(groups, cuts, horizon, seed)
  }

  private def distinct[A](order: Ordering[A], times: Iterable[A]): Vector[A] =
    times.toVector.sorted(order).foldLeft(Vector.empty[A]) { (kept, t) =>
      if (kept.lastOption.exists(order.equiv(_, t))) kept else kept :+ t
    }

  private def isValid[A](order: Ordering[A], row: (A, Option[A]), time: A): Boolean =
    order.lteq(row._1, time) && row._2.forall(order.gt(_, time))

  /** By definition: the valid rows between each two consecutive times. */
  def pieces[A](
      order: Ordering[A],
      rows: Rows[A],
      cuts: Option[Vector[A]],
      horizon: Option[A]
  ): Seq[Window[A]] = {
    val isCut = cuts.getOrElse(Vector.empty)
    val times = distinct(order, rows.flatMap(r => r._1 +: r._2.toVector) ++ isCut)
    val elementary = times.zip(times.drop(1).map(Option(_)) :+ None).map { case (from, to) =>
      Window(from, to, rows.indices.filter(i => isValid(order, rows(i), from)))
    }
    val whole = elementary.foldLeft(Vector.empty[Window[A]]) { (kept, w) =>
      kept.lastOption match {
        case Some(before) if before.rows == w.rows && !isCut.exists(order.equiv(_, w.from)) =>
          kept.init :+ before.copy(to = w.to)
        case _ => kept :+ w
      }
    }
    whole.filter { w =>
      w.rows.nonEmpty && horizon.forall(h => w.to.exists(order.lteq(_, h)))
    }
  }

  def elements[A](order: Ordering[A], rows: Rows[A]): Seq[Window[A]] =
    rows.indices.map { i =>
      Window(rows(i)._1, None, (0 to i).filter(j => isValid(order, rows(j), rows(i)._1)))
    }

  /** The number of requests before the first row. */
  def constructed[A](kind: Kind[A]): Int = {
    val memory = new CountingMemory
    driven(kind, Case(Seq(Vector.empty), None, None, 1L), byElement = false, memory): Unit
    memory.requests
  }

  /** Drives the motion over the groups as they arrive, a few rows at a time. */
  def driven[A](
      kind: Kind[A],
      c: Case[A],
      byElement: Boolean,
      memory: CountingMemory
  ): Seq[Seq[Window[A]]] = {
    val random = new Random(c.seed)
    val junk = Vector.fill(3)(c.groups.flatten.headOption.map(_._1))
    val starts = new Held(kind, memory, junk)
    val ends = new Held(kind, memory, junk)
    val numbers = new Held(Kind.longs, memory, Vector(Some(-1L)))
    val slots = new Slots(memory)
    def column(values: Iterable[A]): Column = {
      val made = kind.column(Memory.Unlimited)
      made.addReader(new Column.Reader { override def floor: Long = 0L })
      values.foreach(v => kind.append(made, Some(v)))
      made
    }
    val motion =
      if (byElement) new ElementMotion(memory, starts.column, ends.column, slots)
      else {
        val cuts = c.cuts.map(column)
        new PieceMotion(
          memory,
          starts.column,
          ends.column,
          slots,
          cuts,
          c.horizon.map(h =>
            column(Seq(h))
          )
        )
      }
    val seen = new Recording(slots, slots.column(numbers.column).asInstanceOf[LongColumn])
    motion.drive(seen)
    try
      c.groups.map { rows =>
        Seq(starts, ends, numbers).foreach(_.startPartition())
        motion.startPartition()
        val found = Vector.newBuilder[Window[A]]
        def go(arrived: Int, ended: Boolean): Unit =
          while (motion.next(arrived.toLong, ended)) {
            val now = seen.rows
            assert(motion.size == now.size)
            found += Window(
              kind.read(motion.bounds, motion.from).get,
              kind.read(motion.bounds, motion.to),
              now
            )
          }
        rows.indices.foreach { i =>
          starts.append(Some(rows(i)._1))
          ends.append(rows(i)._2)
          numbers.append(Some(i.toLong))
          motion.arrive(i + 1L)
          if (random.nextInt(3) > 0) go(i + 1, ended = false)
          Seq(starts, ends, numbers).foreach(_.forget(motion.floor))
        }
        go(rows.size, ended = true)
        assert(!motion.next(rows.size.toLong, ended = true))
        found.result()
      }
    finally {
      motion.close()
      slots.close()
      Seq(starts, ends, numbers).foreach(_.column.close())
    }
  }

  /** Returns the present rows, from their slots. */
  private final class Recording(slots: Slots, numbers: LongColumn) extends Accumulator {
    private val there = mutable.SortedSet.empty[Int]
    // Numbers start at the row that arrived when no row was valid.
    private var first = 0L

    def rows: Seq[Int] = there.toSeq

    override def anyOrder: Boolean = true

    override def clear(): Unit = there.clear()

    override def enter(from: Long, until: Long): Unit = {
      if (there.isEmpty) first = numbers(from)
      assert(until == from + 1 && slots.number(from.toInt) == numbers(from) - first)
      assert(there.add(numbers(from).toInt))
    }

    override def leave(from: Long, until: Long): Unit = {
      assert(until == from + 1 && slots.number(from.toInt) == numbers(from) - first)
      assert(there.remove(numbers(from).toInt))
    }
  }
}
