package io.muntin.kernel.motions

import scala.collection.mutable

import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{DoubleColumn, DoubleKeys, Keys, LongColumn, LongKeys, PeerKeys}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** The results of edges and keys one by one; FrameMotionSuite tests whole frames. */
class EdgeSuite extends MuntinSuite with ScalaCheckPropertyChecks {

  test("ROWS: an edge stays within the arrived rows, and returns the row that it waits for") {
    forAll(Gen.choose(-20L, 20L), Gen.choose(0L, 30L), Gen.choose(1L, 20L)) {
      (shift, current, more) =>
        val edge = new RowsEdge(shift)
        val arrived = current + more
        val found = edge.seek(0L, current, arrived)
        assert(found >= 0L && found <= arrived)
        if (edge.isOpen(found, current, arrived)) assert(found === arrived)
        else assert(found === math.max(0L, current + shift))
        if (edge.isImmediate) assert(!edge.isOpen(found, current, arrived))
    }
  }

  test("ROWS: shifts up to the limits of Spark") {
    assert(new RowsEdge(Int.MinValue.toLong).seek(0L, 5L, 6L) === 0L)
    assert(new RowsEdge(Int.MaxValue + 1L).seek(0L, 5L, 6L) === 6L)
    assert(new RowsEdge(Int.MaxValue + 1L).isOpen(6L, 5L, 6L))
  }

  test("a bound outside of the type calls the overflow handler, once per row") {
    val column = new LongColumn(Memory.Unlimited, true)
    Seq(Long.MinValue, -128L, -1L, 100L, 127L, Long.MaxValue).foreach(column.append)

    def overflows(offset: Long, min: Long, max: Long): Seq[Long] = {
      val asked = mutable.ArrayBuffer.empty[Long]
      val overflow: LongKeys.Overflow = key => {
        asked += key
        0L
      }
      val keys = new LongKeys(column, false, true, offset, min, max, overflow)
      keys.startPartition()
      (0L until 6L).foreach(row => (0L until 6L).foreach(p => keys.compare(p, row)))
      asked.toSeq
    }

    assert(overflows(1L, Long.MinValue, Long.MaxValue) === Seq(Long.MaxValue))
    assert(overflows(-1L, Long.MinValue, Long.MaxValue) === Seq(Long.MinValue))
    assert(overflows(0L, Long.MinValue, Long.MaxValue) === Seq())
    val above = Seq(100L, 127L, Long.MaxValue)
    assert(overflows(Long.MaxValue, Long.MinValue, Long.MaxValue) === above)
    assert(overflows(27L, -128L, 127L) === Seq(Long.MinValue, 127L, Long.MaxValue))
    assert(overflows(28L, -128L, 127L) === Seq(Long.MinValue, 100L, 127L, Long.MaxValue))
    assert(overflows(-1L, -128L, 127L) === Seq(Long.MinValue, -128L, Long.MaxValue))
  }

  test("the result of the overflow handler is the bound") {
    val column = new LongColumn(Memory.Unlimited, false)
    Seq(10L, 20L, 30L).foreach(column.append)
    val keys = new LongKeys(column, false, true, 1L, 0L, 29L, _ => 20L)
    keys.startPartition()
    assert((0L until 3L).map(keys.compare(_, 2L)) === Seq(-1, 0, 1))
    assert((0L until 3L).map(keys.compare(_, 0L)) === Seq(-1, 1, 1))
  }

  test("the first row of a new partition has its own bound") {
    val column = new LongColumn(Memory.Unlimited, false)
    val keys =
      new LongKeys(column, false, true, 1L, Long.MinValue, Long.MaxValue, k => k)
    column.append(10L)
    keys.startPartition()
    assert(keys.compare(0L, 0L) < 0)
    column.clear()
    column.append(5L)
    column.append(6L)
    keys.startPartition()
    assert(keys.compare(1L, 0L) === 0)
  }

  test("the bound of a float is a float") {
    val column = new DoubleColumn(Memory.Unlimited, false)
    Seq(0.1f.toDouble, (0.1f + 0.2f).toDouble, 16777216.0).foreach(column.append)
    def keys(offset: Double, single: Boolean): Keys = {
      val made = new DoubleKeys(column, false, true, offset, single)
      made.startPartition()
      made
    }
    assert(keys(0.2f.toDouble, single = true).compare(1L, 0L) === 0)
    assert(keys(0.2f.toDouble, single = false).compare(1L, 0L) !== 0)
    assert(keys(1.0, single = true).compare(2L, 2L) === 0)
    assert(keys(1.0, single = false).compare(2L, 2L) === -1)
  }

  test("an immediate edge is never open; only ROWS is immediate") {
    val peers = new LongColumn(Memory.Unlimited, true)
    peers.append(0L)
    val edges = Seq(
      UnboundedEnd,
      new RowsEdge(2L),
      new RangeEdge(new PeerKeys(peers), after = true),
      new PresentEdge(peers, 1)
    )
    edges.foreach { edge =>
      assert(!edge.isImmediate)
      assert(edge.isOpen(edge.seek(0L, 0L, 1L), 0L, 1L))
    }
  }

  test("present rows: null rows are skipped, and the current row does not count") {
    val column = new LongColumn(Memory.Unlimited, true)
    // Present: 0, 3, 4, 7.
    (0 until 8).foreach(p => if (Set(0, 3, 4, 7)(p)) column.append(1L) else column.appendNull())
    val edge = new PresentEdge(column, 2)
    Seq(1L, 8L).foreach { first =>
      edge.startPartition(0L)
      var found = 0L
      var arrived = first
      val ends = (0L until 8L).map { current =>
        arrived = math.max(arrived, current + 1)
        found = edge.seek(found, current, arrived)
        while (edge.isOpen(found, current, arrived) && arrived < 8L) {
          arrived += 1
          found = edge.seek(found, current, arrived)
        }
        found -> edge.isOpen(found, current, arrived)
      }
      assert(
        ends === Seq(
          5L -> false,
          5L -> false,
          5L -> false,
          8L -> false,
          8L -> true,
          8L -> true,
          8L -> true,
          8L -> true
        )
      )
    }
  }
}
