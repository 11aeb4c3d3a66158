package io.muntin.kernel.columns

import scala.collection.mutable

import io.muntin.kernel.{CountingMemory, MemoryPages}
import io.muntin.kernel.MuntinSuite
import org.scalatest.Assertion

class SlotsSuite extends MuntinSuite {
  test("each row keeps its values and its number until it leaves") {
    check(new CountingMemory, 2000, 40, 1): Unit
  }

  test("each row keeps its values and its number on disk") {
    val store = new MemoryPages
    check(CountingMemory.forced(store), 6000, 2500, 200): Unit
    assert(store.read > 1000)
    assert(store.held === 0)
  }

  private def check(memory: CountingMemory, rows: Int, least: Int, every: Int): Assertion = {
    val random = new scala.util.Random(5)
    val longs = new LongColumn(memory, nullable = true)
    val doubles = new DoubleColumn(memory, nullable = false)
    var oldest = 0L
    val reader = new Column.Reader { override def floor: Long = oldest }
    longs.addReader(reader)
    doubles.addReader(reader)
    val slots = new Slots(memory)
    val (x, y) = (slots.column(longs), slots.column(doubles))
    assert(slots.column(longs) eq x)
    (0 until 3).foreach { _ =>
      longs.clear()
      doubles.clear()
      slots.clear()
      val live = mutable.LinkedHashMap.empty[Int, Int]
      val taken = mutable.ArrayBuffer.empty[Int]
      (0 until rows).foreach { row =>
        oldest = row.toLong
        if (row % 7 == 0) longs.appendNull() else longs.append(row * 3L)
        doubles.append(row / 4.0)
        val slot = slots.take(row.toLong)
        assert(live.put(slot, row).isEmpty)
        taken += slot
        while (live.size > least + random.nextInt(200)) {
          val gone = taken.remove(random.nextInt(taken.size))
          live -= gone
          slots.give(gone)
        }
        assert(slots.size === live.size && slots.capacity <= least + 201)
        if (row % 50 == 0) assert(slots.numbersThere.toSeq === live.values.map(_.toLong).toSeq)
        if (row % every == 0) live.foreach { case (s, r) =>
          assert(slots.number(s) === r.toLong)
          assert(x.isNull(s.toLong) === (r % 7 == 0))
          if (r % 7 != 0) assert(x.asInstanceOf[LongColumn](s.toLong) === r * 3L)
          assert(y.asInstanceOf[DoubleColumn](s.toLong) === r / 4.0)
        }
      }
    }
    slots.close()
    longs.close()
    doubles.close()
    assert(memory.held === 0L)
  }
}
