package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Kept rows against their positions: micro-batches of random sizes, with windows of some rows. */
final class KeptRowsSuite extends MuntinSuite {
  import KeptRowsSuite._

  private val positions = new RowsOfPositions
  import positions.{form, row}

  /** A group through micro-batches; it is read anew from what it has written where it is `cold`. */
  private final class Group(window: Long) {
    val pages = new Pages
    private val kernel = new Standing
    private var kept = new KeptRows(pages, form)
    private var head = Array.emptyByteArray
    private var arrived = 0L
    kept.start(id)

    def batch(rows: Int, cold: Boolean): Unit = {
      if (cold && arrived > 0L) {
        kept = new KeptRows(pages, form)
        val found = mutable.ArrayBuffer.empty[Long]
        kept.read(
          id,
          new StateInput(head),
          (position, read) => {
            assert(read == row(position))
            found += position
          }
        )
        assert(found.toSeq === (kernel.floor until arrived))
      }
      (0 until rows).foreach { _ =>
        kept.add(row(arrived), kernel)
        arrived += 1L
        kernel.standing = math.max(0L, arrived - window)
      }
      kept.dropUnneeded(kernel)
      assert(kept.count === arrived - kernel.floor)
      val out = new StateOutput
      kept.write(out)
      head = out.copy
    }

    def drop(): Unit = kept.drop()

    def headBytes: Int = head.length
  }

  for (seed <- 1 to 60) test(s"random micro-batches, $seed") {
    val random = new Random(seed.toLong)
    val group = new Group(Seq(1L, 20L, 130L, 700L, Long.MaxValue)(random.nextInt(5)))
    val most = Seq(3, 40, 150, 900)(random.nextInt(4))
    (0 until 40).foreach(_ => group.batch(random.nextInt(most + 1), cold = random.nextInt(3) == 0))
    group.drop()
    assert(group.pages.isEmpty)
  }

  test("a row is written about once where a micro-batch brings many rows of a group") {
    val group = new Group(1000L)
    (0 until 30).foreach(_ => group.batch(100, cold = false))
    assert(group.pages.put === 30)
    assert(group.headBytes < 100)
  }

  test("at most 64 rows, and those of the micro-batch, are in the head") {
    val group = new Group(1000L)
    (0 until 200).foreach { _ =>
      group.batch(10, cold = false)
      assert(group.headBytes < 64 * 40)
    }
  }

  test("windows of few rows write no page") {
    val group = new Group(20L)
    (0 until 50).foreach(_ => group.batch(300, cold = false))
    assert(group.pages.put === 0)
  }
}

object KeptRowsSuite {
  private val id = Array[Byte](7)

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

  /** A kernel that stands at `floor`, and does nothing. */
  private final class Standing extends StreamKernel {
    var standing = 0L
    override def floor: Long = standing
    override def start(key: UnsafeRow): Unit = ()
    override def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit = ()
    override def goOn(): Unit = ()
    override def resumed(): Unit = ()
    override def arrive(row: UnsafeRow): Unit = ()
    override def raiseBound(bound: Long): Unit = ()
    override def end(newest: Long): Unit = ()
    override def next(): Boolean = false
    override def result: InternalRow = null
    override def arrived: Long = 0L
    override def written: Long = 0L
    override def save(out: DataOutput): Unit = ()
    override def isDone: Boolean = false
    override def wake: Long = 0L
  }
}
