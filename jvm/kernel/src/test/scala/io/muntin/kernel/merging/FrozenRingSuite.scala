package io.muntin.kernel.merging

import scala.util.Random

import io.muntin.kernel.{CountingMemory, MemoryPages}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.{Memory, Paging, SteppedMemory}
import io.muntin.kernel.ranks.SortedBlocksSuite
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class FrozenRingSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import SortedBlocksSuite.ShortMemory

  private def lists(weight: Long): Partials[Array[Long]] =
    new AlignedBlocksSuite.Lists(new LongColumn(Memory.Unlimited, false), true, weight)

  private def listOf(index: Long): Array[Long] = Array.fill((index % 5).toInt + 1)(index * 31)

  test("partials that are not dropped can be read from memory and disk under pressure") {
    var wereOut = 0
    forAll(Gen.long, Gen.choose(0, 3), Gen.oneOf(true, false)) { (seed, leap, isForced) =>
      val random = new Random(seed)
      val store = new MemoryPages
      val paging = new Paging(store, 8, 64, isForced)
      val memory = new ShortMemory(2L << 20, paging)
      val ring = new FrozenRing(new SteppedMemory(memory), lists(2000L))
      (1 to 2).foreach { _ =>
        (1 to 1500).foreach { _ =>
          ring.append(listOf(ring.until))
          val held = ring.until - ring.from
          if (held > 0) {
            val asked = ring.from + (random.nextDouble() * random.nextDouble() * held).toLong
            assert(ring(asked) === listOf(asked))
            assert(ring(ring.until - 1L) === listOf(ring.until - 1L))
          }
          if (random.nextInt(100) == 0) paging.giveUp(): Unit
          random.nextInt(60) match {
            case 0 => ring.dropBefore(ring.until + random.nextInt(40).toLong * leap)
            case n if n < 20 => ring.dropBefore(ring.from + random.nextInt(4).toLong)
            case _ =>
          }
        }
        (ring.from until ring.until).foreach(i => assert(ring(i) === listOf(i)))
        wereOut += store.written
        ring.clear()
        assert((ring.from, ring.until) === ((0L, 0L)))
        assert(store.held === 0)
      }
      ring.close()
      assert(memory.held === 0L)
    }
    assert(wereOut > 200)
  }

  test("partials that are dropped in order are evicted once and read back once") {
    val store = new MemoryPages
    val memory = new ShortMemory(4L << 20, store)
    val ring = new FrozenRing(new SteppedMemory(memory), lists(3000L))
    val (many, width) = (20_000, 4000)
    (0 until many).foreach { i =>
      ring.append(listOf(i.toLong))
      if (i >= width) {
        assert(ring(ring.from) === listOf(ring.from))
        ring.dropBefore(ring.from + 1)
      }
    }
    assert(store.written > (many - width) / 16 / 2)
    assert(store.written <= many / 16)
    assert(store.read <= (many - width) / 16 + 1)
    assert(store.held <= width / 16 + 1)
    ring.close()
    assert(store.held === 0)
    assert(memory.held === 0L)
  }

  test("without a disk: rejected memory can be requested again") {
    def run(memory: CountingMemory): Assertion = {
      val stepped = new SteppedMemory(memory)
      var made: FrozenRing[Array[Long]] = null
      CountingMemory.retrying { made = new FrozenRing(stepped, lists(9000L)) }
      val ring = made
      (0L until 500L).foreach { i =>
        CountingMemory.retrying(ring.append(listOf(i)))
        if (i > 200) ring.dropBefore(i - 200)
        assert(ring.until === i + 1)
      }
      (ring.from until ring.until).foreach(i => assert(ring(i) === listOf(i)))
      ring.close()
      assert(memory.held === 0L)
    }
    val all = new CountingMemory
    run(all)
    assert(all.requests > 4)
    (1 to all.requests).foreach(refused => run(new CountingMemory(refused)))
  }
}
