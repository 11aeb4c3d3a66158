package org.apache.spark.sql.muntin.execution.split

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.CollectionAccumulator

class RowSamplerSuite extends MuntinSuite {
  private def drawn(
      rows: Int,
      size: Int,
      seed: Long,
      mostBytes: Long = 1L << 20,
      bytes: Int => Int = _ => 16
  ): RowSample = {
    val sampler = new RowSampler(size, mostBytes, seed)
    (0 until rows).foreach { i =>
      val row = UnsafeRow.createFromByteArray(bytes(i), 1)
      row.setLong(0, i.toLong)
      if (sampler.getAsBoolean()) sampler.accept(row)
    }
    sampler.sample
  }

  test("the maximum number of distinct rows, and the number of all rows") {
    for (rows <- Seq(0, 1, 4, 5, 6, 7, 100, 5000); seed <- 1L to 20L) {
      val sample = drawn(rows, 5, seed)
      assert(sample.count == rows)
      val values = sample.rows.map(_.getLong(0)).toSeq
      assert(values.size == math.min(5, rows))
      assert(values.distinct == values)
      assert(values.forall(v => v >= 0L && v < rows))
    }
  }

  test("each row has an equal chance") {
    val (rows, size, rounds) = (40, 8, 20000)
    val counts = new Array[Int](rows)
    (0 until rounds).foreach(seed =>
      drawn(rows, size, seed.toLong).rows.foreach(r => counts(r.getLong(0).toInt) += 1)
    )
    val expected = rounds.toDouble * size / rows
    // A standard deviation is 57.
    counts.foreach(count => assert(math.abs(count - expected) < 300.0, counts.toSeq))
  }

  test("fewer large rows are drawn, with equal chances, anywhere in the input") {
    val (rows, size, most) = (60, 16, 16L * 16L)
    // The last ten rows are large, and the sample has no room for sixteen of the rows before them.
    def bytes(row: Int) = if (row >= 50) 80 else 24
    val rounds = 20000
    val counts = new Array[Int](rows)
    var all = 0
    (0 until rounds).foreach { seed =>
      val sample = drawn(rows, size, seed.toLong, most, bytes)
      assert(sample.count === rows)
      val values = sample.rows.map(_.getLong(0).toInt)
      assert(values.distinct.length === values.length && values.length >= 1)
      assert(values.map(bytes(_).toLong).sum <= most)
      values.foreach(counts(_) += 1)
      all += values.length
    }
    // Ten small rows fit, then five remain; if large rows do not fit, two remain.
    assert(all > 4 * rounds, all)
    val small = counts.take(50).sum / 50.0
    counts.take(50).foreach(c => assert(math.abs(c - small) < 250.0, counts.toSeq))
    val large = counts.drop(50).sum / 10.0
    counts.drop(50).foreach(c => assert(math.abs(c - large) < 350.0, counts.toSeq))
    assert(large > 0.6 * small, counts.toSeq)
  }

  test("rows larger than the whole sample are not drawn") {
    val none = drawn(100, 16, 1L, mostBytes = 1000L, bytes = i => if (i == 30) 2000 else 800)
    assert(none.rows.length <= 1)
    assert(drawn(100, 16, 1L, mostBytes = 1000L, bytes = _ => 1008).rows.isEmpty)
  }

  test("the sample of a partition's repeated task replaces the sample of its first run") {
    val told = new CollectionAccumulator[SampleOfTasks.Drawn]
    val sample = new SampleOfTasks(told, new SQLMetric("sum"))
    assert(sample.samples.isEmpty)
    for ((task, rows, seed) <- Seq((0, 10, 1L), (1, 20, 1L), (1, 30, 2L))) {
      val of = drawn(rows, 5, seed)
      told.add((task, of.count, of.rows))
    }
    assert(sample.samples.map(_.count).sorted === Seq(10L, 30L))
  }
}
