package org.apache.spark.sql.muntin.streaming

import io.muntin.functions.windowBy
import org.apache.spark.HashPartitioner
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.functions.{col, count}
import org.apache.spark.sql.muntin.spark.UpstreamStages

/** Operators are planned with the clock of a micro-batch, and fail if it has not begun. */
final class StreamTimesSuite extends StreamSession {
  import StreamSession.Readings

  /** The plan of the last micro-batch. */
  private def executed(query: DataFrame => DataFrame): SparkPlan = {
    val source = new Source(Readings)
    val running = new Answers().start(query(source.rows.withWatermark("t", "10 seconds")))
    try {
      Seq(100L, 200L).foreach { s =>
        source.add(Seq(Row("k", at(s), 1, 1.0)))
        running.processAllAvailable()
      }
      lastPlan(running).get
    } finally running.stop()
  }

  private def micros(seconds: Long): Long = at(seconds).getTime * 1000L

  private def late(plan: SparkPlan): Seq[Option[Long]] = plan.collect { case l: LateRowsExec =>
    l.lateBelow
  }

  private val over =
    "SELECT sum(d) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 1 MINUTE PRECEDING) FROM t"

  test("operators below a stateful operator have its clock, and a copied plan has it as well") {
    // The last micro-batch has no rows: its late rows are below the previous watermark.
    val plan = executed(asked(over))
    assert(late(plan).map(_.map(t => t >= micros(90L) && t <= micros(190L))) === Seq(Some(true)))
    assert(late(plan.clone()) === late(plan))
    assert(late(plan.transformUp { case l: LateRowsExec => l.copy() }) === late(plan))
    // Only this operator drops late rows: the stateful operator does not run without it.
    val error = intercept[IllegalStateException](plan.transformUp { case l: LateRowsExec =>
      l.child
    })
    assert(error.getMessage.startsWith("no MuntinLateRows between OVER"))
  }

  test("windows of groups, with marks, and anchors of a table") {
    val groups =
      "SELECT k, count(*) FROM t GROUP BY k, validity(t, t + INTERVAL 5 SECONDS, dump_at => 1)"
    val marked = executed(asked(groups))
    assert(late(marked).nonEmpty && late(marked).forall(_.isDefined))
    val anchors = table(Readings, Seq(Row("k", at(150L), 1, 1.0)))
      .select(
        col("t").as("from"),
        (col("t") + org.apache.spark.sql.functions.expr("INTERVAL 1 SECOND")).as("to")
      )
    val anchored = executed { df =>
      windowBy(df, anchors, col("t"), col("from"), col("to")).agg(count("*").as("n"))
        .asInstanceOf[DataFrame]
    }
    val times = anchored.collect { case d: DueAnchorsExec => d.times }
    assert(times.nonEmpty && times.forall(_._2 >= micros(90L)))
  }

  test("an operator without a clock fails") {
    val rows = LocalTableScanExec(table(Readings, Nil).queryExecution.analyzed.output, Nil, None)
    val time = rows.output(1)
    Seq(
      LateRowsExec("OVER", time, rows, new StreamClock()),
      DueAnchorsExec(time, rows, new StreamClock()),
      SharedRowsExec(rows.output),
      StartCountsExec(time, time, SharedRowsExec(rows.output))
    ).foreach { operator =>
      val error = intercept[IllegalStateException](operator.execute())
      assert(error.getMessage.contains("does not have a time"), operator)
    }
  }

  test("the stages below end before the stage above begins, and run once") {
    val context = spark.sparkContext
    val read = context.longAccumulator
    val source = context.parallelize(1 to 10, 2).map { i =>
      read.add(1L)
      (i % 3, i)
    }
    val shuffled = source.partitionBy(new HashPartitioner(2)).mapPartitions(identity)
    assert(UpstreamStages.end(shuffled))
    assert(read.value === 10L)
    assert(shuffled.count() === 10L)
    assert(read.value === 10L)
    // Rows without a shuffle are read by the tasks that need them: these rows are passed on.
    assert(!UpstreamStages.end(shuffled.union(source)))
    assert(UpstreamStages.end(context.emptyRDD[Int].map((
      1,
      _
    )).partitionBy(new HashPartitioner(2))))
  }
}
