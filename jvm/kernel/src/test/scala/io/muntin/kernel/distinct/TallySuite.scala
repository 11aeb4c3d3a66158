package io.muntin.kernel.distinct

import io.muntin.kernel.{Accumulator, Cases, CountingMemory, Held, Kind, SampledTests, Walk}
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.extremes.ExtremeSuite
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** The tally and its listeners, against the rows of random frames. */
class TallySuite extends SampledTests with ScalaCheckPropertyChecks {
  import TallySuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(60))

  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit = {
    for (evicts <- Seq(true, false)) {
      val frames = if (evicts) "if rows leave" else "in growing frames"
      sampledTest(s"${kind.name}, $frames: counts the present values") {
        forAll(cases(kind, evicts)) { c =>
          drive(kind, c, evicts, skipsNulls = true) { (tally, rows) =>
            val counted = groups(kind, rows.flatMap(c.value).toVector)
            assert(tally.size === counted.size)
            assert(agree(kind, contents(kind, tally, 0), counted))
          }
        }
      }

      sampledTest(s"${kind.name}, $frames: null is an ordinary value, and marks exclude rows") {
        forAll(cases(kind, evicts)) { c =>
          drive(kind, c, evicts, skipsNulls = false) { (tally, rows) =>
            val taken = rows.filter(c.isMarked)
            assert(tally.size === groups(kind, taken.flatMap(c.value).toVector).size +
              (if (taken.exists(c.value(_).isEmpty)) 1 else 0))
          }
        }
      }
    }

    sampledTest(s"${kind.name}: the most frequent value, the least or the greatest of several") {
      forAll(cases(kind, evicts = true), Gen.oneOf(1, -1)) { (c, sign) =>
        var listener: MostFrequent = null
        drive(
          kind,
          c,
          evicts = true,
          skipsNulls = true,
          (m, t) => listener = new MostFrequent(m, t, sign)
        ) {
          (tally, rows) =>
            val counted = groups(kind, rows.flatMap(c.value).toVector)
            val order = if (sign > 0) kind.order.reverse else kind.order
            val best = counted.maxByOption(_.swap)(Ordering.Tuple2(Ordering.Int, order))
            val found = Option(listener.code).filter(_ >= 0).map(_.toLong)
            assert(found.isDefined === best.isDefined)
            found.zip(best).foreach { case (code, (value, count)) =>
              assert(kind.order.equiv(kind.get(tally.values(0), code), value))
              assert(tally.count(code.toInt) === count)
            }
        }
      }
    }

    sampledTest(s"${kind.name}: the first rows of each value, in order") {
      forAll(cases(kind, evicts = true)) { c =>
        var listener: FirstSeen = null
        drive(kind, c, evicts = true, skipsNulls = true, (m, t) => listener = new FirstSeen(m, t)) {
          (tally, rows) =>
            val present = rows.filter(c.value(_).isDefined).toVector
            val expected = present.filter { p =>
              !present.takeWhile(_ < p).exists(q => same(kind, c.value(q), c.value(p)))
            }
            assert(Iterator.iterate(listener.from(0L))(p => listener.from(p + 1))
              .takeWhile(_ >= 0).toVector === expected.map(_.toLong))
            val firsts = (0 until tally.codeLimit).filter(tally.count(_) > 0).map(listener.first)
            assert(firsts.sorted === expected.map(_.toLong))
        }
      }
    }

    sampledTest(s"${kind.name}: each distinct value enters once and leaves once") {
      forAll(cases(kind, evicts = true)) { c =>
        var inner: Values[A] = null
        drive(
          kind,
          c,
          evicts = true,
          skipsNulls = true,
          (_, t) => {
            val rows = new DistinctRows(t)
            inner = new Values(p => c.value(p.toInt).get, kind.order)
            rows.drive(inner)
          }
        ) { (_, rows) =>
          val once = groups(kind, rows.flatMap(c.value).toVector)
          assert(agree(kind, inner.values.map(_ -> 0), once.map(_._1 -> 0)))
        }
      }
    }
  }

  test("values of two columns are one value; a null in one is a null in all") {
    val pair = Gen.zip(Kind.longs.values(Gen.const(80)), Kind.strings.values(Gen.const(80)))
    forAll(pair, Walk.sliding.map(w => w.copy(frames = w.frames.filter(_._2 <= 80)))) {
      case ((longs, strings), walk) =>
        val memory = new CountingMemory
        val first = new Held(Kind.longs, memory, Vector(Some(7L)))
        val second = new Held(Kind.strings, memory, Vector(Some("junk")))
        val skipping =
          new Tally(
            memory,
            Array(first.column, second.column),
            None,
            skipsNulls = true,
            evicts = true
          )
        val keeping =
          new Tally(
            memory,
            Array(first.column, second.column),
            None,
            skipsNulls = false,
            evicts = true
          )
        Walk.foreach(walk, Seq(first, second), new ExtremeSuite.Both(skipping, keeping)) { p =>
          first.append(longs(p))
          second.append(strings(p))
        } { rows =>
          val pairs = rows.map(p => (longs(p), strings(p)))
          assert(keeping.size === pairs.distinct.size)
          assert(skipping.size === pairs.filter(p =>
            p._1.isDefined && p._2.isDefined
          ).distinct.size)
        }
        Seq(skipping, keeping).foreach(_.close())
        Seq(first, second).foreach(_.column.close())
        assert(memory.held === 0L)
    }
  }

  test("memory depends on the frame only, not on earlier rows") {
    for (value <- Seq[Long => Long](identity, -_, _ => 5L, _ % 100, p => p * 0x9e3779b97f4a7c15L)) {
      val memory = new CountingMemory
      val column = new LongColumn(memory, nullable = false)
      val tally = new Tally(memory, Array(column), None, skipsNulls = true, evicts = true)
      val most = new MostFrequent(memory, tally, 1)
      val first = new FirstSeen(memory, tally)
      var lo = 0L
      column.addReader(new Column.Reader { override def floor: Long = lo })
      val holds = (0L until 200_000L).map { p =>
        column.append(value(p))
        if (p >= 1000) {
          tally.leave(lo, lo + 1)
          lo += 1
        }
        tally.enter(p, p + 1)
        memory.held
      }
      assert(holds.last === holds(5000))
      assert(first.from(0) === lo)
      assert(most.code >= 0)
      tally.close()
      column.close()
      assert(memory.held === 0L)
    }
  }

  test("small partitions after a large one are cleared by their own values") {
    val column = new LongColumn(Memory.Unlimited, nullable = false)
    val tally = new Tally(Memory.Unlimited, Array(column), None, skipsNulls = true, evicts = false)
    tally.clear()
    (0L until 100_000L).foreach { p =>
      column.append(p)
      tally.enter(p, p + 1)
    }
    assert(tally.size === 100_000)
    (1 to 200).foreach { n =>
      tally.clear()
      column.clear()
      (0 until n).foreach(p => column.append((p % 7).toLong))
      tally.enter(0, n.toLong)
      assert(tally.size === math.min(n, 7))
    }
  }
}

object TallySuite {

  final case class Case[A](walk: Walk, values: Vector[Option[A]], marks: Vector[Boolean]) {
    def value(row: Int): Option[A] = values(row)
    def isMarked(row: Int): Boolean = marks(row)
  }

  def cases[A](kind: Kind[A], evicts: Boolean): Gen[Case[A]] = for {
    walk <- if (evicts) Walk.sliding else Walk.growing
    values <- kind.values(Gen.const(walk.rows))
    marks <- Gen.containerOfN[Vector, Boolean](walk.rows, Gen.frequency(4 -> true, 1 -> false))
  } yield Case(walk, values, marks)

  def same[A](kind: Kind[A], a: Option[A], b: Option[A]): Boolean =
    a.isDefined == b.isDefined && a.zip(b).forall { case (x, y) => kind.order.equiv(x, y) }

  /** Values in order, with their counts. */
  def groups[A](kind: Kind[A], values: Vector[A]): Vector[(A, Int)] =
    values.sorted(kind.order).foldLeft(Vector.empty[(A, Int)]) {
      case (done :+ ((last, n)), value) if kind.order.equiv(last, value) =>
        done :+ (last -> (n + 1))
      case (done, value) => done :+ (value -> 1)
    }

  // In the kind's order: NaN equals NaN, -0.0 equals 0.0.
  def agree[A](kind: Kind[A], a: Vector[(A, Int)], b: Vector[(A, Int)]): Boolean =
    a.size == b.size && a.zip(b).forall { case ((x, n), (y, m)) =>
      n == m && kind.order.equiv(x, y)
    }

  /** The tally's codes, in the format of `groups`. */
  def contents[A](kind: Kind[A], tally: Tally, column: Int): Vector[(A, Int)] =
    (0 until tally.codeLimit).filter(tally.count(_) > 0).toVector
      .map(c => kind.get(tally.values(column), c.toLong) -> tally.count(c).toInt)
      .sortBy(_._1)(kind.order)

  /** Runs the case's walk twice, like two partitions. */
  def drive[A](
      kind: Kind[A],
      c: Case[A],
      evicts: Boolean,
      skipsNulls: Boolean,
      listen: (Memory, Tally) => Unit = (_, _) => ()
  )(check: (Tally, Range) => Any): Unit = {
    val memory = new CountingMemory
    val column = new Held(kind, memory, Vector(None))
    val marks = new Held(Kind.longs, memory, Vector(None))
    val tally = new Tally(
      memory,
      Array(column.column),
      if (skipsNulls) None else Some(marks.column),
      skipsNulls,
      evicts
    )
    listen(memory, tally)
    for (_ <- 1 to 2)
      Walk.foreach(c.walk, Seq(column, marks), tally, evicts) { p =>
        column.append(c.values(p))
        marks.append(if (c.marks(p)) Some(1L) else None)
      }(rows => check(tally, rows))
    tally.close()
    column.column.close()
    marks.column.close()
    assert(memory.held == 0L)
  }

  /** The rows that have entered and not left, in order. */
  final class Values[A](value: Long => A, order: Ordering[A]) extends Accumulator {
    private var held = Vector.empty[A]

    def values: Vector[A] = held.sorted(order)

    override def clear(): Unit = held = Vector.empty

    override def enter(from: Long, until: Long): Unit =
      (from until until).foreach(p => held :+= value(p))

    override def leave(from: Long, until: Long): Unit =
      (from until until).foreach { p =>
        val i = held.indexWhere(order.equiv(_, value(p)))
        require(i >= 0, s"row $p was not there")
        held = held.patch(i, Nil, 1)
      }
  }
}
