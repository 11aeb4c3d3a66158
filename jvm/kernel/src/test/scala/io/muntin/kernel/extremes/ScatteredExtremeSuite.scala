package io.muntin.kernel.extremes

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{Cases, CountingMemory, Kind, MemoryPages, SampledTests}
import io.muntin.kernel.columns.{Column, ObjectColumn, Slots}
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ScatteredExtremeSuite extends SampledTests with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(50))

  Kind.all.foreach(kind => register(kind))

  private def register[A](kind: Kind[A]): Unit = {
    for (onDisk <- Seq(false, true))
      test(
        s"${kind.name}, ${if (onDisk) "on disk" else "in memory"}: picks the row that brute force picks"
      ) {
        val groups = Gen.listOfN(3, kind.values(Gen.oneOf(0, 1, 5, 400)))
        var read = 0
        forAll(groups, Gen.oneOf(1, -1), Gen.oneOf(true, false), Gen.long) {
          (groups, sign, latest, seed) =>
            val store = new MemoryPages
            val memory = if (onDisk) CountingMemory.forced(store) else new CountingMemory
            run(kind, memory, groups, sign, latest, seed)
            assert(memory.held === 0L)
            assert(store.held === 0)
            read += store.read
        }
        assert((read > 0) === onDisk)
      }

    test(s"${kind.name}: for any rejected request, all memory is released") {
      val values = Gen.containerOfN[Vector, Option[A]](200, kind.nullable)
        .pureApply(Gen.Parameters.default, Seed(7L))
      val counting = new CountingMemory
      run(kind, counting, Seq(values), 1, latest = false, 2L)
      // Memory that is requested before the first row cannot be released by a caller.
      assert(counting.requests > 6)
      (5 to counting.requests).foreach { k =>
        val memory = new CountingMemory(k)
        assertThrows[CountingMemory.Refused] {
          run(kind, memory, Seq(values), 1, latest = false, 2L)
        }
        assert(memory.held === 0L, s"after request $k of ${counting.requests}")
      }
    }
  }

  private def run[A](
      kind: Kind[A],
      memory: Memory,
      groups: Seq[Vector[Option[A]]],
      sign: Int,
      latest: Boolean,
      seed: Long
  ): Unit = {
    val random = new Random(seed)
    val source = kind.column(memory)
    source.addReader(new Column.Reader { override def floor: Long = source.size - 1 })
    val slots = new Slots(memory)
    val order = slots.column(source)
    val extreme = new ScatteredExtreme(memory, slots, order, order, sign, latest)
    try
      groups.foreach { values =>
        source.clear()
        slots.clear()
        extreme.clear()
        val there = mutable.Map.empty[Int, Int]
        // At most this number, because slots are reused.
        val most = Seq(1, 3, 70, 400)(random.nextInt(4))
        def check(): Any = {
          val inSign = if (sign > 0) kind.order else kind.order.reverse
          val present = there.toSeq.filter { case (_, row) => values(row).isDefined }
          val best = present.map { case (_, row) => values(row).get }.maxOption(inSign)
          val rows = present.filter { case (_, row) =>
            best.exists(kind.order.equiv(_, values(row).get))
          }.sortBy(_._2)
          val expected = if (latest) rows.lastOption else rows.headOption
          assert(extreme.position === expected.fold(Pick.None)(_._1.toLong))
        }
        values.indices.foreach { row =>
          kind.append(source, values(row))
          val slot = slots.take(row.toLong)
          there(slot) = row
          extreme.enter(slot.toLong, slot + 1L)
          check()
          while (there.size > most || (there.nonEmpty && random.nextInt(4) == 0)) {
            val gone = there.keys.toSeq(random.nextInt(there.size))
            extreme.leave(gone.toLong, gone + 1L)
            slots.give(gone)
            there -= gone
            check()
          }
        }
      }
    finally {
      extreme.close()
      slots.close()
      source.close()
    }
  }

  sampledTest("a large tournament on disk") {
    for (sign <- Seq(1, -1); latest <- Seq(true, false)) {
      val random = new Random(sign)
      val store = new MemoryPages
      val memory = CountingMemory.forced(store)
      val source = Kind.longs.column(memory)
      source.addReader(new Column.Reader { override def floor: Long = source.size - 1 })
      val slots = new Slots(memory)
      val order = slots.column(source)
      val extreme = new ScatteredExtreme(memory, slots, order, order, sign, latest)
      (0 until 2).foreach { _ =>
        source.clear()
        slots.clear()
        extreme.clear()
        val there = mutable.ArrayBuffer.empty[(Long, Int, Int)]
        (0 until 6000).foreach { row =>
          val value = random.nextInt(3000).toLong
          Kind.longs.append(source, Some(value))
          val slot = slots.take(row.toLong)
          extreme.enter(slot.toLong, slot + 1L)
          there += ((sign * value, if (latest) row else -row, slot))
          if (there.size > 3000) {
            val gone = if (row % 2 == 0) there.max else there(random.nextInt(there.size))
            there -= gone
            extreme.leave(gone._3.toLong, gone._3 + 1L)
            slots.give(gone._3)
          }
          if (row % 50 == 0) assert(extreme.position === there.max._3.toLong)
        }
      }
      assert(store.read > 1000)
      extreme.close()
      slots.close()
      source.close()
      assert(memory.held === 0L)
      assert(store.held === 0)
    }
  }

  test("the number of steps is at most the height, for any order of values and ends") {
    val rows = 1 << 14
    val window = 1 << 10
    val orders = Seq[Int => Long](i => i.toLong, i => -i.toLong, _ => 0L, i => (i % 37).toLong)
    for (value <- orders; newestFirst <- Seq(true, false)) {
      var compared = 0L
      val traits = new ObjectColumn.Traits {
        override def compare(a: AnyRef, b: AnyRef): Int = {
          compared += 1
          a.asInstanceOf[java.lang.Long].compareTo(b.asInstanceOf[java.lang.Long])
        }
        override def hash(a: AnyRef): Int = a.hashCode
        override def sizeOf(a: AnyRef): Long = 8L
      }
      val source = new ObjectColumn(Memory.Unlimited, false, traits)
      val slots = new Slots(Memory.Unlimited)
      val order = slots.column(source)
      val extreme = new ScatteredExtreme(Memory.Unlimited, slots, order, order, 1, false)
      source.addReader(new Column.Reader { override def floor: Long = source.size - 1 })
      val there = mutable.ArrayDeque.empty[Int]
      (0 until rows).foreach { row =>
        source.append(java.lang.Long.valueOf(value(row)))
        val slot = slots.take(row.toLong)
        extreme.enter(slot.toLong, slot + 1L)
        there += slot
        if (there.size == window) {
          (0 until (if (newestFirst) window / 2 else 1)).foreach { _ =>
            val gone = if (newestFirst) there.removeLast() else there.removeHead()
            extreme.leave(gone.toLong, gone + 1L)
            slots.give(gone)
          }
        }
      }
      assert(compared <= rows * 2L * 11, s"$compared comparisons")
    }
  }
}
