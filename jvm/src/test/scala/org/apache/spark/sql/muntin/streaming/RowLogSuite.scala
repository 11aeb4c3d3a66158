package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.LongType
import org.scalatest.Assertion

/**
 * The logs of rows against lists of the expected rows, in micro-batches of random sizes; after some
 * of them a log is read again from the store.
 */
final class RowLogSuite extends MuntinSuite {
  import RowLogSuite._

  private val positions = new RowsOfPositions

  /** The rows of a group that arrive again, through micro-batches. */
  private abstract class Positions {
    val pages = new Pages
    protected val kernel = new Standing(positions)
    private var kept = make()
    private var head = Array.emptyByteArray
    kept.start(id)

    protected def make(): GroupRows

    /** Called when a row has arrived: returns the rows that the kernel needs now. */
    protected def arrived(): Unit

    /** Checks the positions of the rows that have arrived again. */
    protected def check(again: Seq[Long]): Assertion

    def batch(rows: Int, cold: Boolean): Unit = {
      if (cold && head.nonEmpty) {
        kept = make()
        kernel.again.clear()
        val in = new StateInput(head)
        kept.read(id, in, kernel)
        assert(in.readLong() === 77L)
        check(kernel.again.toSeq)
      }
      (0 until rows).foreach { _ =>
        kernel.rows += 1L
        kept.add(positions.row(kernel.rows - 1L), kernel)
        arrived()
      }
      kept.dropUnneeded(kernel)
      checkCount(kept.count)
      val out = new StateOutput
      kept.write(out)
      out.writeLong(77L)
      head = out.copy
    }

    protected def checkCount(count: Long): Assertion

    def drop(): Unit = kept.drop()

    def headBytes: Int = head.length
  }

  private final class Kept(window: Long) extends Positions {
    override protected def make(): GroupRows = new RetainedRows(pages, positions.form)

    override protected def arrived(): Unit = kernel.standing = math.max(0L, kernel.rows - window)

    override protected def check(again: Seq[Long]): Assertion =
      assert(again === (kernel.standing until kernel.rows))

    override protected def checkCount(count: Long): Assertion =
      assert(count === kernel.rows - kernel.standing)
  }

  /** Each row stays, or leaves immediately, or leaves when one of the next rows arrives. */
  private final class Scattered(random: Random, stay: Int) extends Positions {
    override protected def make(): GroupRows = new ScatteredRows(pages, positions.form)

    override protected def arrived(): Unit = {
      if (random.nextInt(5) > 0) kernel.needed :+= kernel.rows - 1L
      while (kernel.needed.size > stay) {
        // The oldest rows stay for long.
        val leaves = stay / 4 + random.nextInt(kernel.needed.size - stay / 4)
        kernel.needed = kernel.needed.patch(leaves, Nil, 1)
      }
      if (random.nextInt(500) == 0) kernel.needed = kernel.needed.take(random.nextInt(3))
    }

    override protected def check(again: Seq[Long]): Assertion = {
      assert(again === again.sorted.distinct)
      val needed = kernel.needed.toSet
      assert(again.filter(needed) === kernel.needed)
      // Half of the rows in pages have not left.
      assert(again.size <= 2 * needed.size)
    }

    override protected def checkCount(count: Long): Assertion = {
      assert(count >= kernel.needed.size)
      assert(count <= 2L * kernel.needed.size)
    }
  }

  private val sizes = Seq(3, 40, 150, 900)

  for (seed <- 1 to 60) test(s"rows from the floor on, $seed") {
    val random = new Random(seed.toLong)
    val group = new Kept(Seq(1L, 20L, 130L, 700L, Long.MaxValue)(random.nextInt(5)))
    val most = sizes(random.nextInt(4))
    (0 until 40).foreach(_ => group.batch(random.nextInt(most + 1), cold = random.nextInt(3) == 0))
    group.drop()
    assert(group.pages.isEmpty)
  }

  for (seed <- 1 to 40) test(s"rows that leave one by one, $seed") {
    val random = new Random(seed.toLong)
    val group = new Scattered(random, Seq(1, 20, 200, 1500)(random.nextInt(4)))
    val most = sizes(random.nextInt(4))
    (0 until 30).foreach(_ => group.batch(random.nextInt(most + 1), cold = random.nextInt(3) == 0))
    group.drop()
    assert(group.pages.isEmpty)
  }

  for (seed <- 1 to 40) test(s"waiting rows, $seed") {
    val random = new Random(seed.toLong)
    val pages = new Pages
    val released = new ReleasedRows(None, Times)
    var waiting = new BufferedRows(pages, Times)
    waiting.start(id)
    val spread = Seq(5, 300, 5000)(random.nextInt(3))
    val most = Seq(3, 300, 3000)(random.nextInt(3))
    var left = Vector.empty[(Long, Long)]
    var number = 0L
    (0 until 40).foreach { step =>
      if (random.nextInt(3) == 0) {
        val out = new StateOutput
        waiting.write(out)
        waiting = new BufferedRows(pages, Times)
        waiting.read(id, new StateInput(out.copy))
      }
      (0 until random.nextInt(most + 1)).foreach { _ =>
        val time =
          if (random.nextInt(999) == 0) Long.MaxValue
          else step * 100L + random.nextInt(spread)
        number += 1L
        waiting.add(time, rowAt(time, number))
        left :+= time -> number
      }
      assert(waiting.count === left.size)
      assert(waiting.least === left.map(_._1).minOption.getOrElse(Long.MaxValue))
      val bound = step * 100L
      val isShown = random.nextInt(4) == 0
      released.clear()
      if (isShown) waiting.show(released) else waiting.release(bound, released)
      released.sort()
      val found = mutable.ArrayBuffer.empty[(Long, Long)]
      while (released.hasNext) {
        val row = released.next()
        found += row.getLong(0) -> row.getLong(1)
      }
      val (out, rest) = left.partition(isShown || _._1 < bound)
      // Rows of equal times keep their order, unless a page with some of them was rewritten.
      assert(found.map(_._1) === found.map(_._1).sorted)
      assert(found.sorted === out.sorted)
      if (!isShown) left = rest
    }
    released.clear()
    waiting.release(Long.MaxValue, released)
    assert(waiting.count === left.count(_._1 == Long.MaxValue))
  }

  test("a row is written about once if a micro-batch has many rows of a group") {
    val group = new Kept(1000L)
    (0 until 30).foreach(_ => group.batch(100, cold = false))
    assert(group.pages.put === 30)
    assert(group.headBytes < 100)
  }

  test("at most 64 rows, and the rows of the micro-batch, are in the head") {
    val group = new Kept(1000L)
    (0 until 200).foreach { _ =>
      group.batch(10, cold = false)
      assert(group.headBytes < 64 * 40)
    }
  }

  test("windows of few rows write no page") {
    val group = new Kept(20L)
    (0 until 50).foreach(_ => group.batch(300, cold = false))
    assert(group.pages.put === 0)
  }

  test("a waiting row takes a byte or two for its time") {
    val waiting = new BufferedRows(new Pages, Times)
    waiting.start(id)
    (0 until 100).foreach(i => waiting.add(1L << 50 | 10L * i, rowAt(0L, 0L)))
    val (out, plain) = (new StateOutput, new StateOutput)
    waiting.write(out)
    (0 until 100).foreach(_ => Times.write(rowAt(0L, 0L), plain))
    assert(out.length <= plain.length + 100 + 40)
  }
}

object RowLogSuite {
  private val id = Array[Byte](7)

  private val Times = new CompactRows(Seq(LongType, LongType))

  private def rowAt(time: Long, number: Long): UnsafeRow = {
    val made = UnsafeRow.createFromByteArray(24, 2)
    made.setLong(0, time)
    made.setLong(1, number)
    made
  }

  /** A page is written once, read back unchanged, and removed once. */
  private final class Pages extends GroupPages {
    private val pages = mutable.Map.empty[Long, (Array[Byte], Long)]
    var put = 0

    def isEmpty: Boolean = pages.isEmpty

    override def page(group: Array[Byte], number: Long): Array[Byte] = pages(number)._1

    override def putPage(group: Array[Byte], number: Long, page: StateOutput): Long = {
      assert(!pages.contains(number))
      put += 1
      val taken = StreamStore.pageBytes(group, page.length)
      pages(number) = page.copy -> taken
      taken
    }

    override def removePage(group: Array[Byte], number: Long, taken: Long): Unit =
      assert(pages.remove(number).exists(_._2 == taken))
  }

  /** A kernel with `rows` rows that needs some of them, and does not compute. */
  private final class Standing(positionsOf: RowsOfPositions) extends StreamKernel {
    var rows = 0L
    var standing = 0L
    var needed = Vector.empty[Long]
    val again = mutable.ArrayBuffer.empty[Long]
    override def replayRow(position: Long, row: UnsafeRow): Unit = {
      assert(row == positionsOf.row(position))
      again += position
    }
    override def floor: Long = standing
    override def positions: Array[Long] = needed.toArray
    override def arrived: Long = rows
    override def start(key: UnsafeRow): Unit = ()
    override def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit = ()
    override def resumeWarm(): Unit = ()
    override def resumed(): Unit = ()
    override def arrive(row: UnsafeRow): Unit = ()
    override def raiseBound(bound: Long): Unit = ()
    override def end(newest: Long): Unit = ()
    override def next(): Boolean = false
    override def result: InternalRow = null
    override def written: Long = 0L
    override def save(out: DataOutput): Unit = ()
    override def isDone: Boolean = false
    override def wakeUpTime: Long = 0L
  }
}
