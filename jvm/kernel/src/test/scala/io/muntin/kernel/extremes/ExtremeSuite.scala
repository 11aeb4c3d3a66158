package io.muntin.kernel.extremes

import io.muntin.kernel.{Accumulator, CountingMemory, Held, Kind, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{ColumnSuite, LongColumn}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ExtremeSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ExtremeSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit = {
    test(s"${kind.name}: if rows leave, selects the row that brute force selects") {
      forAll(cases(kind, Walk.sliding)) { c =>
        val memory = new CountingMemory
        val column = new Held(kind, memory, c.junk)
        val extreme =
          new SlidingExtreme(memory, column.column, column.column, c.sign, c.latest, c.block)
        c.partitions.foreach { case (walk, values) =>
          Walk.foreach(walk, Seq(column), extreme)(p => column.append(values(p))) { rows =>
            assert(extreme.position === pick(kind.order, rows, values, c))
          }
        }
        extreme.close()
        column.column.close()
        assert(memory.held === 0L)
      }
    }

    test(s"${kind.name}: if rows only enter, stores the values of the order and of the source") {
      forAll(cases(kind, Walk.growing)) { c =>
        val memory = new CountingMemory
        val order = new Held(kind, memory, c.junk)
        val rows = new Held(Kind.longs, memory, Vector(None, Some(-1L)))
        val alone =
          new RunningExtreme(order.column, order.column, c.sign, c.latest)
        val by = new RunningExtreme(order.column, rows.column, c.sign, c.latest)
        c.partitions.foreach { case (walk, values) =>
          Walk.foreach(walk, Seq(order, rows), new Both(alone, by), evicts = false) { p =>
            order.append(values(p))
            rows.append(Some(p.toLong))
          } { frame =>
            val expected = pick(kind.order, frame, values, c)
            assert((alone.position === Pick.None) === (expected === Pick.None))
            assert((by.position === Pick.None) === (expected === Pick.None))
            if (expected != Pick.None) {
              assert(Kind.longs.read(by.values, by.position) === Some(expected))
              val value = kind.read(alone.values, alone.position)
              assert(ColumnSuite.same(value, values(expected.toInt)))
            }
          }
        }
        alone.close()
        by.close()
        order.column.close()
        rows.column.close()
        assert(memory.held === 0L)
      }
    }
  }

  test("rows do not leave a growing frame") {
    val column = new LongColumn(Memory.Unlimited, false)
    column.append(1L)
    val extreme = new RunningExtreme(column, column, 1, false)
    extreme.enter(0, 1)
    assertThrows[UnsupportedOperationException](extreme.leave(0, 1))
  }
}

object ExtremeSuite {

  final case class Case[A](
      sign: Int,
      latest: Boolean,
      block: Int,
      junk: Vector[Option[A]],
      partitions: Seq[(Walk, Vector[Option[A]])]
  )

  def cases[A](kind: Kind[A], walk: Gen[Walk]): Gen[Case[A]] = for {
    sign <- Gen.oneOf(1, -1)
    latest <- Gen.oneOf(true, false)
    block <- Gen.oneOf(1, 2, 5, 16, SlidingExtreme.Block)
    junk <- kind.junk
    partition = walk.flatMap(w => kind.values(Gen.const(w.rows)).map(w -> _))
    partitions <- Gen.listOfN(2, partition)
  } yield Case(sign, latest, block, junk, partitions)

  def pick[A](
      order: Ordering[A],
      rows: Range,
      values: Int => Option[A],
      c: Case[_]
  ): Long = {
    val present = rows.filter(values(_).isDefined)
    val inSign = if (c.sign > 0) order else order.reverse
    val extreme = present.map(values(_).get).maxOption(inSign)
    val best = present.filter(p => extreme.exists(order.equiv(_, values(p).get)))
    val picked = if (c.latest) best.lastOption else best.headOption
    picked.fold(Pick.None)(_.toLong)
  }

  /** Two accumulators over one frame. */
  final class Both(a: Accumulator, b: Accumulator) extends Accumulator {
    override def clear(): Unit = {
      a.clear()
      b.clear()
    }
    override def enter(from: Long, until: Long): Unit = {
      a.enter(from, until)
      b.enter(from, until)
    }
    override def leave(from: Long, until: Long): Unit = {
      a.leave(from, until)
      b.leave(from, until)
    }
  }
}
