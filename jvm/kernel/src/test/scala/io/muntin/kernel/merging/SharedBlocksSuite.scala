package io.muntin.kernel.merging

import io.muntin.kernel.{CountingMemory, Held, Kind, MemoryPages}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.{Memory, Paging}
import io.muntin.kernel.ranks.SortedBlocksSuite
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SharedBlocksSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import AlignedBlocksSuite._

  private final class Floor extends Column.Reader {
    var floor = 0L
  }

  /** Frames in the order of their starts, with ends in any order. */
  private val frames: Gen[Seq[(Long, Long)]] = for {
    count <- Gen.choose(1, 40)
    steps <- Gen.listOfN(count, Gen.frequency(3 -> Gen.choose(0, 4), 1 -> Gen.choose(0, 90)))
    sizes <- Gen.listOfN(count, Gen.oneOf(Gen.choose(1, 20), Gen.choose(1, 700)))
  } yield steps.scanLeft(0)(_ + _).tail.zip(sizes).map { case (from, size) =>
    (from.toLong, from.toLong + size)
  }

  private def become(frame: FrameFold, from: Long, until: Long): Unit = {
    frame.clear()
    frame.enter(from, until)
  }

  for (fanOut <- Seq(2, 3, 16); updatesMerged <- Seq(true, false)) {
    val how =
      s"fan-out $fanOut, ${if (updatesMerged) "rows" else "no rows"} added to merged partials"

    test(s"$how: merged like AlignedBlocks, with any other frames") {
      forAll(frames) { frames =>
        val floor = new Floor
        val shared =
          new SharedBlocks(Memory.Unlimited, new Trees(updatesMerged), floor, fanOut)
        val hands = Seq.fill(3)(new Trees(updatesMerged))
        val between = hands.map(new BlocksBetween(shared, _))
        frames.zipWithIndex.foreach { case ((from, until), i) =>
          floor.floor = from
          become(between(i % 3), from, until)
          between(i % 3).refresh()
          val alone = new Trees(updatesMerged)
          val aligned = new AlignedBlocks(Memory.Unlimited, alone, fanOut)
          become(aligned, from, until)
          aligned.refresh()
          assert(hands(i % 3).tree === alone.tree, s"from $from until $until")
        }
      }
    }

    test(s"$how: reads only retained rows, and releases all memory") {
      forAll(Gen.listOfN(2, frames)) { groups =>
        val memory = new CountingMemory
        val held = new Held(Kind.longs, memory, Vector(Some(-1L)))
        val column = held.column.asInstanceOf[LongColumn]
        val floor = new Floor
        val shared = new SharedBlocks(memory, new Lists(column, updatesMerged), floor, fanOut)
        val lists = new Lists(column, updatesMerged)
        val between = new BlocksBetween(shared, lists)
        groups.foreach { frames =>
          held.startPartition()
          shared.clear()
          frames.foreach { case (from, until) =>
            while (column.size < until) held.append(Some(column.size * 3))
            floor.floor = from
            held.forget(from)
            shared.evict()
            become(between, from, until)
            between.refresh()
            assert(lists.list === (from until until).map(_ * 3))
          }
        }
        between.close()
        shared.close()
        column.close()
        assert(memory.held === 0L)
      }
    }
  }

  test("rejected memory can be requested again") {
    def run(memory: CountingMemory): Assertion = {
      val column = new LongColumn(Memory.Unlimited, false)
      val floor = new Floor
      column.addReader(floor)
      (0L until 600L).foreach(column.append)
      val shared = new SharedBlocks(memory, new Lists(column, true, weight = 9000L), floor, 3)
      val lists = new Lists(column, true, weight = 9000L)
      val between = new BlocksBetween(shared, lists)
      Seq((1L, 500L), (2L, 30L), (7L, 600L), (400L, 500L)).foreach { case (from, until) =>
        floor.floor = from
        become(between, from, until)
        CountingMemory.retrying(between.refresh())
        assert(lists.list === (from until until))
      }
      shared.close()
      assert(memory.held === 0L)
    }
    val all = new CountingMemory
    run(all)
    assert(all.requests > 4)
    for (refused <- 1 to all.requests) run(new CountingMemory(refused))
  }

  test("nodes on disk: all rows of each frame, in order") {
    val store = new MemoryPages
    val paging = new Paging(store)
    val memory = new SortedBlocksSuite.ShortMemory(3L << 20, paging)
    val column = new LongColumn(Memory.Unlimited, false)
    val floor = new Floor
    column.addReader(floor)
    val shared = new SharedBlocks(memory, new Lists(column, true, weight = 150L), floor, 16)
    val lists = new Lists(column, true, weight = 1L)
    val between = new BlocksBetween(shared, lists)
    (1 to 20_000).foreach { hi =>
      column.append(hi - 1L)
      floor.floor = math.max(0, hi - 5000).toLong
      if (hi % 101 == 0) {
        shared.evict()
        Seq(300, 2000, 5000).foreach { width =>
          val from = math.max(0, hi - width)
          become(between, from.toLong, hi.toLong)
          between.refresh()
          assert(lists.list === (from until hi))
        }
      }
      if (hi % 1009 == 0) paging.giveUp(): Unit
    }
    assert(store.held > 0)
    between.close()
    shared.close()
    assert(store.held === 0)
    assert(memory.held === 0L)
  }

  test("each node is computed once for any number of frames") {
    val (making, answering) = (new Counts, new Counts)
    val floor = new Floor
    val shared = new SharedBlocks(Memory.Unlimited, making, floor, 16)
    val between = new BlocksBetween(shared, answering)
    val (frames, rows) = (1000, 100000L)
    (0 until frames).foreach { i =>
      floor.floor = i.toLong
      become(between, i.toLong, rows - 50 * i)
      between.refresh()
    }
    assert(making.updates <= rows)
    assert(making.merges <= rows / 15)
    assert(answering.updates <= 32L * frames)
    assert(answering.merges <= 2L * 16 * 5 * frames)
  }
}
