package io.muntin.kernel.distinct

import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * Sliding frames in which one value is far ahead, and then another; TallySuite has random frames.
 */
class MostFrequentSuite extends MuntinSuite {
  for {
    sign <- Seq(1, -1)
    width <- Seq(1, 2, 7, 100)
  } test(s"the most frequent value falls behind, frames of $width rows, sign $sign") {
    val random = new java.util.SplittableRandom(width.toLong)
    // Of 40 consecutive rows most have the same of three values; the others have one of the three,
    // or one of many.
    val values = Vector.tabulate(3000) { i =>
      if (random.nextInt(10) < 6) (i / 40 % 3).toLong
      else if (random.nextBoolean()) random.nextInt(3).toLong
      else random.nextInt(200).toLong
    }
    val column = new LongColumn(Memory.Unlimited, nullable = false)
    val tally = new Tally(Memory.Unlimited, Array(column), None, skipsNulls = true, evicts = true)
    val most = new MostFrequent(Memory.Unlimited, tally, sign)
    var lo = 0L
    column.addReader(new Column.Reader { override def floor: Long = lo })
    for (i <- values.indices) {
      column.append(values(i))
      tally.enter(i.toLong, i + 1L)
      if (i >= width) {
        tally.leave(lo, lo + 1)
        lo += 1
      }
      val rows = values.slice(lo.toInt, i + 1)
      val (best, _) = rows.groupBy(identity).maxBy { case (v, all) => (all.size, -sign * v) }
      assert(tally.values(0).asInstanceOf[LongColumn](most.code.toLong) === best, s"at $i")
    }
    tally.leave(lo, values.size.toLong)
    assert(most.code === -1)
  }
}
