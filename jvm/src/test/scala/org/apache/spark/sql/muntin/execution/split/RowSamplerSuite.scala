package org.apache.spark.sql.muntin.execution.split

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.util.CollectionAccumulator

class RowSamplerSuite extends MuntinSuite {
  private def drawn(rows: Int, size: Int, seed: Long): RowSample = {
    val sampler = new RowSampler(size, seed)
    val row = UnsafeRow.createFromByteArray(16, 1)
    (0 until rows).foreach { i =>
      row.setLong(0, i.toLong)
      if (sampler.getAsBoolean()) sampler.accept(row)
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
    val told = new CollectionAccumulator[SampleOfTasks.Drawn]
    val sample = new SampleOfTasks(told)
    assert(sample.samples.isEmpty)
    for ((task, rows, seed) <- Seq((0, 10, 1L), (1, 20, 1L), (1, 30, 2L))) {
      val of = drawn(rows, 5, seed)
      told.add((task, of.count, of.rows))
    }
    assert(sample.samples.map(_.count).sorted === Seq(10L, 30L))
  }
}
