package io.muntin.kernel.distinct

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.{Kind, MemoryPages, SampledTests}
import io.muntin.kernel.columns.{Column, LongColumn, ObjectColumn}
import io.muntin.kernel.memory.{Memory, Paging}
import io.muntin.kernel.ranks.SortedBlocksSuite
import org.scalatest.Assertion

/**
 * The tally and its listeners without enough memory, against a model of the frame.
 */
class TallyOnDiskSuite extends SampledTests {
  import SortedBlocksSuite.ShortMemory
  import TallyOnDiskSuite._

  private val shapes: Seq[(String, (Random, Int) => Int)] = Seq(
    "each comes once" -> ((_, p) => p),
    "at random" -> ((random, _) => random.nextInt(14_000)),
    "most are one of a few" ->
      ((random, p) => if (random.nextInt(3) > 0) random.nextInt(20) else p),
    "each comes again when it has nearly left" -> ((_, p) => p % 7300)
  )

  for (
    kind <- Kind.all; (shape, value) <- shapes; evicts <- Seq(true, false);
    isForced <- Seq(true, false)
  ) {
    val frames = if (evicts) "if rows leave" else "in growing frames"
    val how = if (isForced) "forced" else "little memory"
    sampledTest(s"${kind.name}, $shape, $frames, $how: counts the present values") {
      check(kind, value, evicts, isForced)
    }
  }

  private def check[A](
      kind: Kind[A],
      valueAt: (Random, Int) => Int,
      evicts: Boolean,
      isForced: Boolean
  ): Assertion = {
    val random = new Random(7)
    val store = new MemoryPages
    val paging = new Paging(store, if (isForced) 32 else 4096, least = 64, isForced)
    val memory = new ShortMemory(if (isForced) 1L << 30 else Little, paging)
    val column = kind.column(Memory.Unlimited, nullable = true)
    val tally = new Tally(memory, Array(column), None, skipsNulls = true, evicts)
    val most = new MostFrequent(memory, tally, 1)
    val first = if (evicts) new FirstSeen(memory, tally) else null
    var lo = 0
    column.addReader(new Column.Reader { override def floor: Long = lo.toLong })
    (1 to 2).foreach { _ =>
      val model = new Model
      column.clear()
      lo = 0
      tally.clear()
      assert(tally.size === 0)
      assert(store.held === 0)
      val values = new Array[Int](Rows)
      (0 until Rows).foreach { p =>
        values(p) = if (random.nextInt(50) == 0) Null else valueAt(random, p)
        kind.append(column, Option.when(values(p) != Null)(number(kind, values(p))))
        if (evicts && p - lo >= Width) {
          tally.leave(lo.toLong, lo + 1L)
          if (values(lo) != Null) model.leave(values(lo), lo)
          lo += 1
        }
        tally.enter(p.toLong, p + 1L)
        if (values(p) != Null) model.enter(values(p), p)
        assert(tally.size === model.rows.size)
        if (random.nextInt(300) == 0) paging.giveUp(): Unit
        if (p % 37 == 0) {
          val row = lo + random.nextInt(p + 1 - lo)
          if (values(row) != Null) {
            val code = tally.codeOf(row.toLong)
            assert(tally.count(code) === model.rows(values(row)).size)
            assert(column.compareTo(row.toLong, tally.values(0), code.toLong) === 0)
            if (evicts) assert(first.first(code) === model.rows(values(row)).head)
          }
        }
        if (p % 2999 == 0) {
          val best = model.rows.toVector.map { case (v, rows) => (rows.size, v) }
          val many = if (best.isEmpty) 0 else best.map(_._1).max
          assert(tally.count(most.code) === many)
          if (many > 0) {
            val least = best.collect { case (n, v) if n == many => number(kind, v) }.min(kind.order)
            assert(kind.order.equiv(kind.get(tally.values(0), most.code.toLong), least))
          }
          if (evicts) {
            val firsts = Iterator.iterate(first.from(0L))(r => first.from(r + 1)).takeWhile(_ >= 0)
            assert(firsts.toVector === model.rows.values.map(_.head.toLong).toVector.sorted)
          }
        }
      }
      assert(store.held > 0)
    }
    tally.close()
    column.close()
    assert(store.held === 0)
    assert(memory.held === 0L)
  }

  test("codes of values in the frame do not change under eviction") {
    val store = new MemoryPages
    val memory = new ShortMemory(1L << 30, store)
    val column = new LongColumn(Memory.Unlimited, nullable = false)
    column.addReader(new Column.Reader { override def floor: Long = 0L })
    val tally = new Tally(memory, Array(column), None, skipsNulls = true, evicts = false)
    (0L until 60_000L).foreach(p => column.append(p * 7919 % 60_000))
    tally.clear()
    tally.enter(0L, 60_000L)
    val before = memory.held
    val codes = (0L until 60_000L).map(tally.codeOf(_))
    while (memory.pages.giveUp()) ()
    assert(memory.held < before / 20)
    assert(store.held > 0)
    assert((0L until 60_000L).map(tally.codeOf(_)) === codes)
    tally.clear()
    assert(store.held === 0)
    tally.enter(0L, 100L)
    assert(tally.size === 100)
    tally.close()
    assert(memory.held === 0L)
  }

  sampledTest("values of one hash") {
    val store = new MemoryPages
    val memory = new ShortMemory(1L << 30, store)
    val strings = new ObjectColumn(Memory.Unlimited, false, OneHash)
    strings.addReader(new Column.Reader { override def floor: Long = 0L })
    val tally = new Tally(memory, Array(strings), None, skipsNulls = true, evicts = true)
    // Long runs of values that are equal except in comparisons: 40 hashes, 100 values each.
    val rows = 4000
    (0 until 2 * rows).foreach(p => strings.append(s"${p % 40} ${p % rows}"))
    tally.clear()
    tally.enter(0L, rows.toLong)
    while (memory.pages.giveUp()) ()
    (rows until 2 * rows).foreach { p =>
      tally.enter(p.toLong, p + 1L)
      assert(tally.size === rows)
      tally.leave(p - rows.toLong, p - rows + 1L)
      assert(tally.size === rows)
    }
    (rows until 2 * rows).foreach(p => tally.leave(p.toLong, p + 1L))
    assert(tally.size === 0)
    tally.close()
    assert(store.held === 0)
    assert(memory.held === 0L)
  }
}

object TallyOnDiskSuite {
  private val Rows = 18_000
  private val Width = 8000
  private val Null = -1

  // About half of the memory of 8000 distinct values and their rows.
  private val Little = 500_000L

  /** The rows of each value in a frame. */
  private final class Model {
    val rows = mutable.HashMap.empty[Int, mutable.Queue[Int]]

    def enter(value: Int, row: Int): Unit =
      rows.getOrElseUpdate(value, mutable.Queue.empty) += row

    def leave(value: Int, row: Int): Unit = {
      assert(rows(value).dequeue() == row)
      if (rows(value).isEmpty) rows.remove(value): Unit
    }
  }

  /** Returns a value of a kind for each number. */
  private def number[A](kind: Kind[A], n: Int): A = (kind.name match {
    case "longs" => n.toLong * 0x9e3779b97f4a7c15L
    case "doubles" => if (n % 1000 == 0) -n.toDouble else n / 7.0
    case "128-bit integers" => java.math.BigInteger.valueOf(n.toLong).pow(3)
    case _ => s"value $n" * (n % 4 + 1)
  }).asInstanceOf[A]

  private object OneHash extends ObjectColumn.Traits {
    override def compare(a: AnyRef, b: AnyRef): Int =
      a.asInstanceOf[String].compareTo(b.asInstanceOf[String])
    override def hash(value: AnyRef): Int = value.asInstanceOf[String].takeWhile(_ != ' ').toInt
    override def sizeOf(value: AnyRef): Long = 40L
    override def save(value: AnyRef, out: java.io.DataOutput): Unit =
      out.writeUTF(value.asInstanceOf[String])
    override def restore(in: java.io.DataInput): AnyRef = in.readUTF()
  }
}
