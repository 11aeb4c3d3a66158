package io.muntin.kernel.columns

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{CountingMemory, MemoryPages}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.memory.Paging
import io.muntin.kernel.ranks.SortedBlocksSuite
import org.scalacheck.{Gen, Shrink}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class LongsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import SortedBlocksSuite.ShortMemory

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 40)

  // Fewer numbers would be another case, and many numbers take long.
  implicit private def unshrunk[A]: Shrink[A] = Shrink.shrinkAny

  test("written values can be read, in memory and on disk, under any memory pressure") {
    val more = Gen.oneOf(Some(150_000L), None)
    var cut = 0
    forAll(Gen.long, Gen.choose(1, 9000), Gen.oneOf(1, 32, 4096), Gen.oneOf(true, false), more) {
      (seed, many, rows, isForced, bytes) =>
        val random = new Random(seed)
        val store = new MemoryPages
        val paging = new Paging(store, rows, least = 64, isForced)
        val memory = new ShortMemory(bytes.getOrElse(1L << 30), paging)
        val longs = new Longs(memory)
        val model = mutable.ArrayBuffer.empty[Long]
        (1 to 2).foreach { _ =>
          (0 until many).foreach { i =>
            longs.makeRoom(i)
            val value = random.nextLong()
            longs(i) = value
            model += value
            val other = random.nextInt(i + 1)
            random.nextInt(4) match {
              case 0 => assert(longs(other) === model(other))
              case 1 =>
                longs(other) = i.toLong
                model(other) = i.toLong
              case 2 =>
                model(other) += 3L
                assert(longs.add(other, 3L) === model(other))
              case _ => if (random.nextInt(500) == 0) paging.giveUp(): Unit
            }
          }
          model.indices.foreach(i => assert(longs(i) === model(i)))
          if (longs.isCut) cut += 1
          if (random.nextBoolean()) longs.clear() else longs.shrink()
          assert(!longs.isCut)
          assert(store.held === 0)
          model.clear()
        }
        longs.close()
        assert(memory.held === 0L)
    }
    assert(cut > 5)
  }

  test("a third of the memory is sufficient for all numbers") {
    val store = new MemoryPages
    val memory = new ShortMemory(3L << 18, store)
    val longs = new Longs(memory)
    val many = 1 << 18
    (0 until many).foreach { i =>
      longs.makeRoom(i)
      longs(i) = i.toLong * i
    }
    assert(store.held > 0)
    (0 until many).foreach(i => if (longs(i) != i.toLong * i) fail(s"$i"))
    longs.close()
    assert(store.held === 0)
    assert(memory.held === 0L)
  }

  test("without a disk it requests the required memory, and a rejection changes nothing") {
    (1 to 6).foreach { refused =>
      val memory = new CountingMemory(refused)
      def made = new Longs(memory)
      val longs = if (refused > 1) made else { intercept[CountingMemory.Refused](made); made }
      (0 until 1000).foreach { i =>
        CountingMemory.retrying(longs.makeRoom(i))
        longs(i) = i.toLong
      }
      (0 until 1000).foreach(i => assert(longs(i) === i.toLong))
      longs.close()
      assert(memory.held === 0L)
    }
  }
}
