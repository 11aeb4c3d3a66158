package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.scalatest.funsuite.AnyFunSuite

class RowSamplerSuite extends AnyFunSuite {
  private def drawn(rows: Int, size: Int, seed: Long): RowSample = {
    val sampler = new RowSampler(size, seed)
    val row = UnsafeRow.createFromByteArray(16, 1)
    (0 until rows).foreach { i =>
      row.setLong(0, i.toLong)
      if (sampler.isDrawn()) sampler.draw(row)
    }
    sampler.sample
  }

  test("as many rows as there is room for, all different, and how many have passed") {
    for (rows <- Seq(0, 1, 4, 5, 6, 7, 100, 5000); seed <- 1L to 20L) {
      val sample = drawn(rows, 5, seed)
      assert(sample.count == rows)
      val values = sample.rows.map(_.getLong(0)).toSeq
      assert(values.size == math.min(5, rows))
      assert(values.distinct == values)
      assert(values.forall(v => v >= 0L && v < rows))
    }
  }

  test("each row has the same chance") {
    val (rows, size, rounds) = (40, 8, 20000)
    val counts = new Array[Int](rows)
    (0 until rounds).foreach(seed =>
      drawn(rows, size, seed.toLong).rows.foreach(r => counts(r.getLong(0).toInt) += 1)
    )
    val expected = rounds.toDouble * size / rows
    // A standard deviation is 57.
    counts.foreach(count => assert(math.abs(count - expected) < 300.0, counts.toSeq))
  }

  test("what a partition's task draws when it runs again takes the place of what it drew before") {
    val (sample, other) = (new SampleOfTasks, new SampleOfTasks)
    assert(sample.isZero)
    sample.add(0 -> drawn(10, 5, 1L))
    sample.add(1 -> drawn(20, 5, 1L))
    other.add(1 -> drawn(30, 5, 2L))
    sample.merge(other)
    assert(sample.value.map { case (task, s) => task -> s.count } == Map(0 -> 10L, 1 -> 30L))
    assert(sample.copyAndReset().isZero)
    assert(!sample.isZero)
  }
}
