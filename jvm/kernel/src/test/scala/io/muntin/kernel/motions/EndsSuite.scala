package io.muntin.kernel.motions

import scala.collection.mutable

import io.muntin.kernel.{CountingMemory, Kind, MemoryPages}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, Slots}
import io.muntin.kernel.sorting.SlotHeap
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class EndsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  Kind.all.foreach(kind => register(kind))

  /** Values, and the number of removals after each arrival, of several groups. */
  private def groups[A](kind: Kind[A]): Gen[Seq[Vector[(A, Int)]]] = {
    val taken = Gen.oneOf(Seq(
      Gen.choose(0, 1),
      Gen.frequency(30 -> Gen.const(0), 1 -> Gen.const(100)),
      Gen.choose(0, 2)
    ))
    val group = for {
      n <- Gen.oneOf(0, 1, 3, 300)
      few <- Gen.listOfN(5, kind.value)
      value <- Gen.oneOf(Seq(kind.value, Gen.oneOf(few)))
      values <- Gen.containerOfN[Vector, A](n, value)
      ascending <- Gen.oneOf(true, false)
      counts <- taken.flatMap(Gen.containerOfN[Vector, Int](n, _))
    } yield (if (ascending) values.sorted(kind.order) else values).zip(counts)
    Gen.listOfN(3, group)
  }

  private def register[A](kind: Kind[A]): Unit =
    test(s"${kind.name}: the least value first, of equal values any") {
      forAll(groups(kind), Gen.oneOf(true, false)) { (groups, onDisk) =>
        val store = new MemoryPages
        val memory = if (onDisk) CountingMemory.forced(store) else new CountingMemory
        val source = kind.column(memory)
        var taken = 0L
        source.addReader(new Column.Reader { override def floor: Long = taken })
        val slots = new Slots(memory)
        val values = slots.column(source)
        val ends = new Ends(memory, values)
        val alone = SlotHeap(memory, values)
        groups.foreach { rows =>
          source.clear()
          slots.clear()
          ends.clear()
          alone.clear()
          taken = 0L
          val there = mutable.Map.empty[Int, A]
          var last: Option[A] = None

          def take(): Unit = {
            val least = there.values.min(kind.order)
            val inHeap = alone.first
            assert(kind.order.equiv(there(inHeap), least))
            val slot = ends.first
            assert(kind.order.equiv(there(slot), least))
            val gone = ends.take()
            assert(kind.order.equiv(there(gone), least))
            // The heap may remove another entry of the same value; the test puts it back.
            val others = Iterator.continually(alone.take()).takeWhile(_ != gone).toList
            others.foreach { other =>
              assert(kind.order.equiv(there(other), least))
              alone.add(other)
            }
            there -= gone
            slots.give(gone)
            last = Some(least)
          }

          rows.foreach { case (value, n) =>
            if (last.forall(kind.order.gteq(value, _))) {
              kind.append(source, Some(value))
              val slot = slots.take(source.size - 1)
              taken = source.size
              ends.add(slot)
              alone.add(slot)
              there(slot) = value
            }
            (0 until math.min(n, there.size)).foreach(_ => take())
            assert(ends.isEmpty === there.isEmpty)
            assert(alone.isEmpty === there.isEmpty)
          }
          while (there.nonEmpty) take()
          assert(ends.isEmpty)
        }
        ends.close()
        alone.close()
        slots.close()
        source.close()
        assert(memory.held === 0L)
        assert(store.held === 0)
      }
    }
}
