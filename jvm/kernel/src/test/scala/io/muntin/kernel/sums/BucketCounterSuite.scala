package io.muntin.kernel.sums

import scala.util.Random

import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory

class BucketCounterSuite extends MuntinSuite {
  test("the counts of the rows in the frame, after any other rows; nulls are in no bucket") {
    val random = new Random(1)
    val column = new LongColumn(Memory.Unlimited, nullable = true)
    column.addReader(NeighbourSeries.AllRows)
    val rows = Vector.fill(200)(Option.when(random.nextInt(5) > 0)(random.nextInt(4)))
    rows.foreach(_.fold(column.appendNull())(b => column.append(b.toLong)))
    val counter = new BucketCounter(Memory.Unlimited, column, 4)
    var (from, until) = (0, 0)
    while (until < rows.size) {
      val end = math.min(rows.size, until + random.nextInt(9))
      counter.enter(until.toLong, end.toLong)
      until = end
      val start = math.min(until, from + random.nextInt(9))
      counter.leave(from.toLong, start.toLong)
      from = start
      val wanted = (0 until 4).map(b => rows.slice(from, until).count(_.contains(b)).toLong)
      assert((0 until 4).map(counter.counts(_)) === wanted)
    }
  }
}
