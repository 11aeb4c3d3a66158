package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

import scala.collection.mutable

import io.muntin.kernel.{Cases, CountingMemory, Held, Kind, MemoryPages, SampledTests, Walk}
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.{Memory, Paging}
import io.muntin.kernel.motions.{Edge, FrameMotion}
import io.muntin.kernel.ranks.SortedBlocksSuite
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class AlignedBlocksSuite extends SampledTests with ScalaCheckPropertyChecks {
  import AlignedBlocksSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = Cases(150))

  private val fanOuts = Seq(2, 3, 16)

  for (fanOut <- fanOuts; updatesMerged <- Seq(true, false)) {
    val how =
      s"fan-out $fanOut, ${if (updatesMerged) "rows" else "no rows"} added to merged partials"

    sampledTest(s"$how: all rows of the frame, each once, in order, and all memory is released") {
      forAll(Walk.sliding, Walk.sliding) { (one, other) =>
        val memory = new CountingMemory
        val held = new Held(Kind.longs, memory, Vector(Some(-1L)))
        val lists = new Lists(held.column.asInstanceOf[LongColumn], updatesMerged)
        val blocks = new AlignedBlocks(memory, lists, fanOut)
        // The next partition must not see state of the previous one.
        Seq(one -> 0L, other -> 1000L).foreach { case (walk, first) =>
          Walk.foreach(walk, Seq(held), blocks)(p => held.append(Some(first + p))) { rows =>
            blocks.refresh()
            assert(lists.list === rows.map(_ + first))
          }
        }
        blocks.close()
        held.column.close()
        assert(memory.held === 0L)
      }
    }

    sampledTest(s"$how: only the frame determines which partials are merged") {
      val seen = mutable.HashMap.empty[Range, String]
      var again = 0
      forAll(Walk.sliding) { walk =>
        val trees = new Trees(updatesMerged)
        val blocks = new AlignedBlocks(Memory.Unlimited, trees, fanOut)
        val held = new Held(Kind.longs, Memory.Unlimited, Vector(Some(-1L)))
        Walk.foreach(walk, Seq(held), blocks)(p => held.append(Some(p.toLong))) { rows =>
          blocks.refresh()
          if (rows.nonEmpty) {
            if (seen.contains(rows)) again += 1
            assert(trees.tree === seen.getOrElseUpdate(rows, trees.tree), s"frame $rows")
          }
        }
      }
      assert(again > 100)
      // A frame that is entered at once has the same result.
      seen.foreach { case (rows, tree) =>
        val trees = new Trees(updatesMerged)
        val blocks = new AlignedBlocks(Memory.Unlimited, trees, fanOut)
        blocks.clear()
        blocks.enter(rows.start.toLong, rows.end.toLong)
        blocks.refresh()
        assert(trees.tree === tree, s"frame $rows")
      }
    }

    sampledTest(s"$how: rejected memory can be requested again") {
      val values = (0 until 260).map(_ * 7L)
      def run(memory: CountingMemory): Assertion = {
        val column = new LongColumn(Memory.Unlimited, false)
        column.addReader(new Column.Reader { override def floor: Long = 0L })
        values.foreach(column.append)
        val lists = new Lists(column, updatesMerged, weight = 9000L)
        val blocks = new AlignedBlocks(memory, lists, fanOut)
        blocks.clear()
        var lo = 0
        for (hi <- 1 to values.size) {
          blocks.enter(hi - 1L, hi.toLong)
          if (hi - lo > 120) {
            blocks.leave(lo.toLong, lo + 1L)
            lo += 1
          }
          CountingMemory.retrying(blocks.refresh())
          assert(lists.list === values.slice(lo, hi))
        }
        blocks.close()
        assert(memory.held === 0L)
      }
      val all = new CountingMemory
      run(all)
      assert(all.requests > 4)
      for (refused <- 1 to all.requests) run(new CountingMemory(refused))
    }
  }

  for (fanOut <- fanOuts)
    sampledTest(
      s"fan-out $fanOut: rows without earlier rows in a frame are merged like first rows"
    ) {
      val gaps = Gen.frequency(20 -> Gen.choose(0, 3), 1 -> Gen.choose(40, 90))
      forAll(Gen.listOf(gaps), Gen.choose(1, 60), Gen.choose(-10, 20)) { (steps, back, ahead) =>
        val times = steps.scanLeft(0)(_ + _).toVector
        val upper = math.max(-back, ahead)
        val all = trees(times, 0, -back, upper, fanOut)
        // No frame crosses the gap before it, from either side.
        val begins = times.indices.filter { i =>
          i == 0 || (times(i) - back > times(i - 1) && times(i) > times(i - 1) + upper)
        }
        begins.foreach { first =>
          assert(trees(times.drop(first), first, -back, upper, fanOut) === all.drop(first))
        }
      }
    }

  /**
   * Returns the merges of each row's frame, from `lower` to `upper` of its time; the first row is
   * `first`.
   */
  private def trees(
      times: Vector[Int],
      first: Int,
      lower: Int,
      upper: Int,
      fanOut: Int
  ): Seq[String] = {
    def edge(reach: Int, after: Boolean) = new Edge {
      override def seek(from: Long, current: Long, arrived: Long): Long = {
        val bound = times(current.toInt) + reach
        val found = times.indexWhere(t => if (after) t > bound else t >= bound)
        if (found < 0) arrived else math.min(found.toLong, arrived)
      }

      override def isOpen(found: Long, current: Long, arrived: Long): Boolean = found >= arrived
    }
    val made = new Trees(updatesMerged = true) {
      override def update(position: Long): Unit = super.update(position + first)
    }
    val blocks = new AlignedBlocks(Memory.Unlimited, made, fanOut)
    val motion = new FrameMotion(edge(lower, after = false), edge(upper, after = true))
    motion.drive(blocks)
    motion.startPartition()
    motion.arrive(times.size.toLong)
    times.indices.map { i =>
      assert(motion.isReady(i.toLong, times.size.toLong, ended = true))
      motion.advance(i.toLong): Unit
      blocks.refresh()
      made.tree
    }
  }

  for (fanOut <- fanOuts; isForced <- Seq(true, false))
    sampledTest(
      s"fan-out $fanOut, partials on disk${if (isForced) ", forced" else ""}: the same merges"
    ) {
      val store = new MemoryPages
      val paging = new Paging(store, 8, 64, isForced)
      val memory = new SortedBlocksSuite.ShortMemory((if (fanOut == 16) 2L else 20L) << 20, paging)
      val column = new LongColumn(Memory.Unlimited, false)
      column.addReader(new Column.Reader { override def floor: Long = 0L })
      (0L until 6000L).foreach(column.append)
      val lists = new Lists(column, updatesMerged = true, weight = 100L)
      val (trees, plain) = (new Trees(updatesMerged = true), new Trees(updatesMerged = true))
      val blocks = new AlignedBlocks(memory, lists, fanOut)
      val short = new AlignedBlocks(memory, trees, fanOut)
      val all = new AlignedBlocks(Memory.Unlimited, plain, fanOut)
      (1 to 2).foreach { _ =>
        Seq(blocks, short, all).foreach(_.clear())
        for (hi <- 1 to 6000) {
          Seq(blocks, short, all).foreach { b =>
            b.enter(hi - 1L, hi.toLong)
            if (hi > 3000) b.leave(hi - 3001L, hi - 3000L)
          }
          if (hi % 43 == 0) paging.giveUp(): Unit
          // Not for every row, because a result merges all new blocks.
          if (hi % 11 == 0) {
            Seq(blocks, short, all).foreach(_.refresh())
            assert(lists.list === (math.max(0, hi - 3000) until hi))
            assert(trees.tree === plain.tree)
          }
        }
        assert(store.held > 0 || fanOut < 16)
      }
      assert(store.written > 0)
      // For each of the two kinds, and each partition.
      if (fanOut == 16) assert(store.written <= 2 * 2 * (6000 / 15 / 16 + 3))
      Seq(blocks, short).foreach(_.close())
      assert(store.held === 0)
      assert(memory.held === 0L)
    }

  test("up to the fan-out, rows are folded one by one, as in Spark") {
    val trees = new Trees(updatesMerged = true)
    val blocks = new AlignedBlocks(Memory.Unlimited, trees, 4)
    blocks.clear()
    blocks.enter(2, 6)
    blocks.refresh()
    assert(trees.tree === "0+2+3+4+5")
    blocks.enter(6, 7)
    blocks.refresh()
    assert(trees.tree === "[0+2|(0+3)]+4+5+6")
  }

  test("a frame of whole blocks is merged from the minimum number of nodes") {
    val trees = new Trees(updatesMerged = true)
    val blocks = new AlignedBlocks(Memory.Unlimited, trees, 2)
    blocks.clear()
    blocks.enter(2, 11)
    blocks.refresh()
    // Rows 2 and 3 as the suffix of 0 to 3; 4 to 7 as one block; 8 and 9 as the prefix of 8 to 11.
    assert(trees.tree === "[0+2+3|([0+4+5|(0+6+7)])|(0+8+9)]+10")
  }

  test("work per row is about two updates, two merges and half a block of updates") {
    for (width <- Seq(100, 1000, 10000)) {
      val rows = 40000
      val counts = new Counts
      val blocks = new AlignedBlocks(Memory.Unlimited, counts, 16)
      blocks.clear()
      for (hi <- 1 to rows) {
        blocks.enter(hi - 1L, hi.toLong)
        if (hi > width) blocks.leave(hi - 1L - width, hi.toLong - width)
        blocks.refresh()
      }
      assert(counts.updates < 10.5 * rows, s"updates at $width")
      assert(counts.merges < 4.0 * rows, s"merges at $width")
      assert(counts.freezes < 1.6 * rows, s"freezes at $width")
    }
  }

  test("the number of stored partials is about the number of blocks in the frame") {
    val memory = new CountingMemory
    val counts = new Counts
    val blocks = new AlignedBlocks(memory, counts, 16)
    blocks.clear()
    var most = 0L
    for (hi <- 1 to 60000) {
      blocks.enter(hi - 1L, hi.toLong)
      if (hi > 10000) blocks.leave(hi - 10001L, hi - 10000L)
      blocks.refresh()
      most = math.max(most, memory.held)
    }
    val partials = 10000 / 16 * 16 / 15 + 16 * 4 * 3
    val slack = 5 * 64 * 1024
    assert(most >= 10000 / 16 * Counts.Size)
    assert(most <= partials * Counts.Size + slack)
    // After the wide frame, a narrow frame stores no partials of the wide frame.
    blocks.leave(50000, 59995)
    blocks.refresh()
    assert(memory.held <= slack)
    blocks.close()
    assert(memory.held === 0L)
  }
}

object AlignedBlocksSuite {

  /** The values of its rows, in order. A merge reuses the right side's list, and changes it. */
  final class Lists(column: LongColumn, override val updatesMerged: Boolean, weight: Long = 8L)
      extends Partials[Array[Long]] {
    private var rows = mutable.ArrayBuffer.empty[Long]
    private var merged = false

    def list: Seq[Long] = rows.toSeq

    override def zero(): Unit = {
      rows.clear()
      merged = false
    }

    override def update(position: Long): Unit = {
      require(updatesMerged || !merged, "no rows can be added")
      rows += column(position)
    }

    override def freeze(): Array[Long] = rows.toArray

    override def thaw(frozen: Array[Long]): Unit = {
      rows = mutable.ArrayBuffer.from(frozen)
      merged = true
    }

    override def merge(frozen: Array[Long]): Unit = {
      val right = mutable.ArrayBuffer.from(frozen)
      right.insertAll(0, rows)
      rows.clear()
      rows = right
      merged = true
    }

    override def sizeOf(frozen: Array[Long]): Long = weight * frozen.length

    override def write(frozen: Array[Long], out: DataOutput): Unit = {
      out.writeInt(frozen.length)
      frozen.foreach(out.writeLong)
    }

    override def read(in: DataInput): Array[Long] = Array.fill(in.readInt())(in.readLong())
  }

  /** The operations that led to a partial. */
  class Trees(override val updatesMerged: Boolean) extends Partials[String] {
    var tree = ""

    override def zero(): Unit = tree = "0"
    override def update(position: Long): Unit = tree = s"$tree+$position"
    override def freeze(): String = tree
    override def thaw(frozen: String): Unit = tree = frozen

    override def merge(frozen: String): Unit =
      tree = if (tree.endsWith("]")) s"${tree.dropRight(1)}|($frozen)]" else s"[$tree|($frozen)]"

    override def sizeOf(frozen: String): Long = 1L
    override def write(frozen: String, out: DataOutput): Unit = out.writeUTF(frozen)
    override def read(in: DataInput): String = in.readUTF()
  }

  final class Counts extends Partials[AnyRef] {
    var updates = 0L
    var merges = 0L
    var freezes = 0L

    override def zero(): Unit = ()
    override def update(position: Long): Unit = updates += 1
    override def merge(frozen: AnyRef): Unit = merges += 1
    override def thaw(frozen: AnyRef): Unit = ()
    override def sizeOf(frozen: AnyRef): Long = Counts.Size
    override def write(frozen: AnyRef, out: DataOutput): Unit = ()
    override def read(in: DataInput): AnyRef = this
    override def updatesMerged: Boolean = true

    override def freeze(): AnyRef = {
      freezes += 1
      this
    }
  }

  object Counts {
    val Size = 1000L
  }
}
