package io.muntin.kernel.lists

import io.muntin.kernel.{CountingMemory, Kind, MemoryPages, Scatter}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.Slots
import io.muntin.kernel.extremes.NthOfPieces
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.Fold

class LinkedRowsSuite extends MuntinSuite {
  import LinkedRowsSuite._

  for (kind <- Seq(Kind.longs, Kind.strings)) register(kind)

  private def register[A](kind: Kind[A]): Unit =
    for (onlyPresent <- Seq(false, true))
      test(s"${kind.name}, ${if (onlyPresent) "those present" else "all"}: the rows in order") {
        val random = new scala.util.Random(3)
        Scatter.foreach(kind) { (run, memory) =>
          new LinkedRows(memory, Option.when(onlyPresent)(run.column))
        } { (rows, run, there, values) =>
          val wanted = there.map(values(_)).filter(v => !onlyPresent || v.isDefined)
          val list = new LinkedList(rows, run.column)
          assert(list.size === wanted.size)
          def at(i: Int) = kind.read(list.values, list.position(i))
          assert(wanted.indices.map(at) === wanted)
          (0 until 5).filter(_ => wanted.nonEmpty).foreach { _ =>
            val i = random.nextInt(wanted.size)
            assert(at(i) === wanted(i))
          }
          Seq(1, -1, 3, -2).foreach { n =>
            val nth = new NthOfPieces(list, n)
            val index = if (n > 0) n - 1 else wanted.size + n
            val found = Option.when(nth.position >= 0)(kind.read(run.column, nth.position))
            assert(found === wanted.lift(index))
          }
        }
      }

  test("aggregates without a merge are folded again") {
    Scatter.foreach(Kind.longs) { (_, memory) =>
      new LinkedRows(memory, None)
    } { (rows, run, there, _) =>
      val fold = new Listing(run.slots)
      new RecomputedRows(fold, rows).refresh()
      assert(fold.numbers === there.map(_.toLong))
    }
  }

  test("links on disk") {
    val random = new scala.util.Random(4)
    val store = new MemoryPages
    val memory = CountingMemory.forced(store)
    val slots = new Slots(memory)
    val rows = new LinkedRows(memory, None)
    (0 until 2).foreach { _ =>
      slots.clear()
      rows.clear()
      val there = scala.collection.mutable.ArrayBuffer.empty[Int]
      (0 until 6000).foreach { i =>
        val slot = slots.take(i.toLong)
        rows.enter(slot.toLong, slot + 1L)
        there += slot
        if (there.size > 3000) {
          val gone = there.remove(random.nextInt(there.size))
          rows.leave(gone.toLong, gone + 1L)
          slots.give(gone)
        }
        assert(rows.slot(0) === there.head)
        if (i % 500 == 0) assert((0 until rows.size).map(rows.slot) === there)
      }
    }
    assert(store.read > 1000)
    rows.close()
    slots.close()
    assert(memory.held === 0L)
    assert(store.held === 0)
  }

  test("the links cost 8 bytes for each present row, for any number of changes") {
    val memory = new CountingMemory
    val slots = new Slots(Memory.Unlimited)
    val rows = new LinkedRows(memory, None)
    (0 until 100000).foreach { i =>
      val slot = slots.take(i.toLong)
      rows.enter(slot.toLong, slot + 1L)
      if (rows.size == 100) {
        val gone = rows.slot(i % 100)
        rows.leave(gone.toLong, gone + 1L)
        slots.give(gone)
      }
    }
    assert(memory.held <= 8L * 128)
  }
}

object LinkedRowsSuite {

  /** The numbers of the folded rows. */
  final class Listing(slots: Slots) extends Fold {
    private val rows = scala.collection.mutable.ArrayBuffer.empty[Long]

    def numbers: Seq[Long] = rows.toSeq

    override def zero(): Unit = rows.clear()

    override def update(position: Long): Unit = rows += slots.number(position.toInt)
  }
}
