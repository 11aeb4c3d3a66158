package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

import scala.collection.mutable

import io.muntin.kernel.{CountingMemory, Kind, Scatter}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory
import org.scalatest.Assertion

class AlignedTreeSuite extends MuntinSuite {
  import AlignedBlocksSuite.{Counts, Lists}
  import AlignedTreeSuite._

  private val fanOuts = Seq(1, 2, 16)

  for (fanOut <- fanOuts; updatesMerged <- Seq(true, false))
    test(s"blocks of $fanOut, updatesMerged $updatesMerged: all present rows, in order") {
      var lists: Lists = null
      Scatter.foreach(Numbers) { (run, memory) =>
        lists = new Lists(run.column.asInstanceOf[LongColumn], updatesMerged)
        new AlignedTree(memory, lists, run.slots, fanOut)
      } { (tree, _, there, values) =>
        tree.refresh()
        assert(lists.list === there.map(values(_).get))
      }
    }

  for (fanOut <- fanOuts)
    test(s"blocks of $fanOut: only the present rows determine which partials are merged") {
      var trees: Numbered = null
      Scatter.foreach(Numbers) { (run, memory) =>
        trees = new Numbered(run.slots)
        new AlignedTree(memory, trees, run.slots, fanOut)
      } { (tree, _, there, _) =>
        tree.refresh()
        assert(trees.tree === byDefinition(there, fanOut))
      }
    }

  test("work per change is a block of updates and a merge for each level") {
    for (width <- Seq(100, 1000, 10000)) {
      val counts = new Counts
      val changes = run(width, 30000, counts, Memory.Unlimited)
      val levels = math.log(width * 2 / 16.0) / math.log(2)
      assert(counts.updates < 16L * changes, s"updates at $width")
      assert(counts.merges < (levels + 2) * changes, s"merges at $width")
    }
  }

  test("partials are stored for the blocks of the present rows") {
    val memory = new CountingMemory
    run(
      2000,
      30000,
      new Counts,
      memory,
      most => assert(most <= 2 * 2000 * (Counts.Size + 24) + 400000)
    )
    assert(memory.held === 0L)
  }

  test("rejected memory can be requested again") {
    def at(memory: CountingMemory): Assertion = {
      val slots = new Slots(Memory.Unlimited)
      val source = new LongColumn(Memory.Unlimited, false)
      source.addReader(new Column.Reader { override def floor: Long = 0L })
      val column = slots.column(source).asInstanceOf[LongColumn]
      val lists = new Lists(column, updatesMerged = false, weight = 9000L)
      val tree = new AlignedTree(memory, lists, slots, 2)
      val there = mutable.LinkedHashMap.empty[Int, Int]
      val random = new scala.util.Random(2)
      tree.clear()
      (0 until 200).foreach { row =>
        source.append(row.toLong)
        val slot = slots.take(row.toLong)
        CountingMemory.retrying(tree.enter(slot.toLong, slot + 1L))
        there(row) = slot
        if (there.size > 90) {
          val (gone, free) = there.toSeq(random.nextInt(there.size))
          tree.leave(free.toLong, free + 1L)
          slots.give(free)
          there -= gone
        }
        CountingMemory.retrying(tree.refresh())
        assert(lists.list === there.keys.map(_.toLong).toSeq)
      }
      tree.close()
      assert(memory.held === 0L)
    }
    val all = new CountingMemory
    at(all)
    assert(all.requests > 4)
    for (refused <- 3 to all.requests) at(new CountingMemory(refused))
  }

  /** Rows that leave in any order, `width` of them present; a result for each change. */
  private def run(
      width: Int,
      rows: Int,
      counts: Counts,
      memory: Memory,
      check: Long => Any = _ => ()
  ): Long = {
    val slots = new Slots(Memory.Unlimited)
    val tree = new AlignedTree(memory, counts, slots)
    val random = new scala.util.Random(7)
    val there = mutable.ArrayBuffer.empty[Int]
    var changes = 0L
    tree.clear()
    (0 until rows).foreach { row =>
      val slot = slots.take(row.toLong)
      tree.enter(slot.toLong, slot + 1L)
      tree.refresh()
      there += slot
      changes += 1
      if (there.size > width) {
        val i = random.nextInt(there.size)
        val gone = there(i)
        there(i) = there.last
        there.dropRightInPlace(1)
        tree.leave(gone.toLong, gone + 1L)
        slots.give(gone)
        tree.refresh()
        changes += 1
      }
      memory match {
        case counting: CountingMemory if row % 100 == 0 => check(counting.held)
        case _ =>
      }
    }
    tree.close()
    changes
  }
}

object AlignedTreeSuite {
  val Numbers: Kind[Long] = new Kind[Long](
    "numbers",
    new LongColumn(_, _),
    (c, x) => c.asInstanceOf[LongColumn].append(x),
    (c, p) => c.asInstanceOf[LongColumn](p),
    org.scalacheck.Gen.choose(0L, 1000L),
    Ordering.Long
  ) {
    override val nullable: org.scalacheck.Gen[Option[Long]] = value.map(Some(_))
  }

  /** The operations that led to a partial, by the numbers of the rows. */
  final class Numbered(slots: Slots) extends Partials[String] {
    var tree = ""

    override def zero(): Unit = tree = ""
    override def update(position: Long): Unit = tree = s"$tree+${slots.number(position.toInt)}"
    override def freeze(): String = tree
    override def thaw(frozen: String): Unit = tree = frozen
    override def merge(frozen: String): Unit = tree = s"($tree|$frozen)"
    override def sizeOf(frozen: String): Long = 1L
    override def write(frozen: String, out: DataOutput): Unit = out.writeUTF(frozen)
    override def read(in: DataInput): String = in.readUTF()
    override def updatesMerged: Boolean = false
  }

  /** Merges the halves of the smallest aligned range that contains all rows. */
  def byDefinition(rows: Seq[Int], fanOut: Int): String = {
    def folded(rows: Seq[Int]) = rows.map(r => s"+$r").mkString
    def merged(rows: Seq[Int], from: Int, size: Int): String =
      if (size == fanOut) folded(rows)
      else {
        val (older, newer) = rows.partition(_ < from + size / 2)
        if (newer.isEmpty) merged(older, from, size / 2)
        else if (older.isEmpty) merged(newer, from + size / 2, size / 2)
        else s"(${merged(older, from, size / 2)}|${merged(newer, from + size / 2, size / 2)})"
      }
    if (rows.size <= fanOut) folded(rows) else merged(rows, 0, fanOut << 12)
  }
}
