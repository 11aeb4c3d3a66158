package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable
import scala.util.Random

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.LongType

/** Compared with a stable sort of a list: rows that have just arrived, and stored rows. */
final class ReleasedRowsSuite extends MuntinSuite {
  private val form = new CompactRows(Seq(LongType, LongType, LongType))
  private val bySecond = new Ordering[InternalRow] {
    override def compare(a: InternalRow, b: InternalRow): Int =
      java.lang.Long.compare(a.getLong(1), b.getLong(1))
  }

  private def row(time: Long, second: Long, number: Long): UnsafeRow = {
    val made = UnsafeRow.createFromByteArray(32, 3)
    made.setLong(0, time)
    made.setLong(1, second)
    made.setLong(2, number)
    made
  }

  private def values(row: UnsafeRow) = (row.getLong(0), row.getLong(1), row.getLong(2))

  for (seed <- 1 to 30)
    test(s"rows in the order of time, $seed") {
      val random = new Random(seed.toLong)
      val ordering = if (seed % 2 == 0) Some(bySecond) else None
      val released = new ReleasedRows(ordering, form)
      // Several groups, one after the other.
      (0 until 5).foreach { _ =>
        released.clear()
        val count = random.nextInt(200)
        val times = if (random.nextBoolean()) 5 else 1000
        val disorder = Seq(0, 3, 1000)(random.nextInt(3))
        val added = Vector.tabulate(count) { i =>
          val time = (i * times / math.max(1, count)).toLong - random.nextInt(disorder + 1)
          (if (random.nextInt(99) == 0) Long.MinValue else time, random.nextInt(4).toLong, i.toLong)
        }
        val out = new StateOutput
        val places = added.map { case (time, second, number) =>
          val at = out.length
          form.write(row(time, second, number), out)
          at
        }
        val in = new StateInput(out.copy)
        added.zip(places).foreach { case ((time, second, number), place) =>
          if (random.nextBoolean()) released.addWritten(time, in, place)
          else released.add(time, row(time, second, number))
        }
        released.sort()
        val found = mutable.ArrayBuffer.empty[(Long, Long, Long)]
        while (released.hasNext) {
          val time = released.nextTime
          found += values(released.next())
          assert(time === found.last._1)
        }
        val wanted =
          if (ordering.isEmpty) added.sortBy(_._1) else added.sortBy(r => (r._1, r._2))
        assert(found === wanted)
      }
    }
}
