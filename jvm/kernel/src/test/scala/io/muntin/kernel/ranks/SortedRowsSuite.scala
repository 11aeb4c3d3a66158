package io.muntin.kernel.ranks

import io.muntin.kernel.{Accumulator, CountingMemory, Held, Kind, Scatter, Walk}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.lists.{LinkedList, LinkedRows, ListedRowsSuite, RunningList, SlidingList}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SortedRowsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import SortedRowsSuite._

  private val shapes = Gen.oneOf(Seq[Gen[Int => Long]](
    Gen.choose(1, 5).map(n => (p: Int) => (p * 7919L) % n),
    Gen.const((p: Int) => p.toLong),
    Gen.const((p: Int) => -p.toLong),
    Gen.const((_: Int) => 0L),
    Gen.choose(0L, 1000L).map(seed =>
      (p: Int) => new scala.util.Random(seed + p).nextInt(50).toLong
    )
  )).flatMap(identity)

  for (
    (name, evicts, walk) <- Seq(("leave", true, Walk.sliding), ("only come", false, Walk.growing))
  )
    test(s"if rows $name, equals a stable sort") {
      val cases = for {
        partitions <- ListedRowsSuite.partitions(Kind.strings, walk)
        shape <- shapes
        descending <- Gen.oneOf(true, false)
        every <- Gen.oneOf(1, 1, 2, 7)
      } yield (partitions, shape, descending, every)
      forAll(cases) { case ((junk, partitions), shape, descending, every) =>
        val memory = new CountingMemory
        val keys = new Held(Kind.longs, memory, Vector(None, Some(-1L)))
        val column = new Held(Kind.strings, memory, junk)
        val sorted = make(memory, keys.column, column.column, descending, evicts)
        partitions.foreach { case (walk, values) =>
          var asked = 0
          Walk.foreach(walk, Seq(column, keys), sorted, evicts) { p =>
            column.append(values(p))
            keys.append(Some(shape(p)))
          } { rows =>
            asked += 1
            // The test does not read every frame's result.
            if (asked % every == 0) {
              val present = rows.filter(values(_).isDefined)
              val inOrder = present.sortBy(p => if (descending) -shape(p) else shape(p))
              sorted.refresh()
              assert(sorted.size === inOrder.size)
              inOrder.zipWithIndex.foreach { case (p, i) =>
                assert(Kind.strings.read(sorted.values, sorted.position(i)) === values(p))
                if (evicts) assert(sorted.position(i) === p)
              }
            }
          }
        }
        sorted.close()
        keys.column.close()
        column.column.close()
        assert(memory.held === 0L)
      }
    }

  for (descending <- Seq(false, true))
    test(s"if rows leave in any order, ${if (descending) "from the greatest" else "by value"}") {
      var asked = 0
      Scatter.foreach(Kind.longs) { (run, memory) =>
        val rows = new LinkedRows(memory, Some(run.column))
        val list = new LinkedList(rows, run.column)
        new Both(rows, new SortedSlots(memory, run.column, list, order(descending)))
      } { (both, run, there, values) =>
        asked += 1
        // The test does not read every window's result.
        if (asked % 3 > 0) {
          val present = there.filter(values(_).isDefined)
          val wanted = present.sortBy(values(_))(
            if (descending) Ordering[Option[Long]].reverse else Ordering[Option[Long]]
          )
          val sorted = both.sorted
          sorted.refresh()
          assert(sorted.size === wanted.size)
          assert(wanted.indices.map(i => run.slots.number(sorted.position(i).toInt)) === wanted)
        }
      }
    }

  test("an arriving row costs one search, and a partition that arrives at once costs one sort") {
    val n = 4096
    val keys = new LongColumn(Memory.Unlimited, false)
    keys.addReader(new Column.Reader { override def floor: Long = 0L })
    (0 until 2 * n).foreach(p => keys.append((p * 7919L) % 4099))
    var compared = 0
    val order = new SortedRows.Order {
      override def compare(orders: Column, left: Long, right: Long): Int = {
        compared += 1
        orders.compare(left, right)
      }
    }
    val list = new SlidingList(Memory.Unlimited, keys, None)
    val sorted = new SortedFrame(Memory.Unlimited, list, list, order)
    sorted.enter(0L, n.toLong)
    sorted.refresh()
    assert(compared <= n * 12)
    compared = 0
    (n until 2 * n).foreach { p =>
      sorted.leave(p.toLong - n, p.toLong - n + 1)
      sorted.enter(p.toLong, p + 1L)
      sorted.refresh()
    }
    assert(compared <= n * 13)
  }
}

object SortedRowsSuite {
  def make(
      memory: Memory,
      keys: Column,
      values: Column,
      descending: Boolean,
      evicts: Boolean
  ): SortedRows =
    if (evicts) {
      val rows = new SlidingList(memory, values, Some(values))
      new SortedFrame(memory, new SlidingList(memory, keys, None), rows, order(descending))
    } else {
      val rows = new RunningList(values, Some(values))
      new SortedFrame(memory, new RunningList(keys, Some(values)), rows, order(descending))
    }

  def order(descending: Boolean): SortedRows.Order = new SortedRows.Order {
    override def compare(orders: Column, left: Long, right: Long): Int =
      if (descending) orders.compare(right, left) else orders.compare(left, right)
  }

  /** Drives both. */
  final class Both(rows: LinkedRows, val sorted: SortedSlots) extends Accumulator {
    private val all = Seq(rows, sorted)

    override def clear(): Unit = all.foreach(_.clear())
    override def enter(from: Long, until: Long): Unit = all.foreach(_.enter(from, until))
    override def leave(from: Long, until: Long): Unit = all.foreach(_.leave(from, until))
    override def close(): Unit = all.foreach(_.close())
  }
}
