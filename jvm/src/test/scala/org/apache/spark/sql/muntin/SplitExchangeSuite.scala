package org.apache.spark.sql.muntin

import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.execution.split.SplitReadExec

/**
 * The plan for a large key with many cores: as many chunks as cores, and each chunk reads its own
 * rows.
 */
class SplitExchangeSuite extends SplitSession {
  private val rows = 750000L

  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.default.parallelism" -> "16",
    "spark.muntin.split.chunkSize" -> "1m"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .range(0, rows, 1, 6)
      .selectExpr(
        "id",
        "id * 7919 % 1500007 AS t",
        // A value that is not computed again above the exchange.
        "hash(string(id)) AS v",
        "if(id % 9 = 0, id % 9, 1) AS k"
      )
      .createOrReplaceTempView("large")
  }

  private def read(frame: DataFrame): SplitReadExec =
    nodes(frame) { case r: SplitReadExec => r }.head

  private def ran(query: String): DataFrame = {
    val frame = spark.sql(query)
    val sum = frame.queryExecution.toRdd.map(_.getLong(0)).fold(0L)(_ + _)
    assert(sum == unsplit(query), query)
    frame
  }

  private def unsplit(query: String): Long = withConf("spark.muntin.split.enabled" -> "false") {
    spark.sql(query).queryExecution.toRdd.map(_.getLong(0)).fold(0L)(_ + _)
  }

  private def moving(over: String) = s"SELECT id * sum(v) OVER ($over) + id FROM large"

  sampledTest("a frame that looks back by rows or by a range: each chunk reads its own rows") {
    for {
      reach <- Seq("ROWS 999 PRECEDING", "RANGE BETWEEN 500 PRECEDING AND 20 FOLLOWING")
      keys <- Seq("", "PARTITION BY k")
    } {
      val frame = ran(moving(s"$keys ORDER BY t $reach"))
      assert(exchanged(frame) == 1L)
      assert(chunks(frame) > 8L)
      val metrics = read(frame).metrics
      assert(metrics("shuffleRecordsWritten").value <= rows + 100L)
      // With the rows of halos.
      assert(metrics("recordsRead").value <= rows * 1.1)
      val plan = frame.queryExecution.executedPlan.toString
      assert(plan.contains("chunks, 1 exchanged by range"), plan)
    }
  }

  sampledTest(
    "at most three chunks need all rows before them, and read at most three times the partition"
  ) {
    val frame = ran(moving("ORDER BY t"))
    assert(exchanged(frame) == 0L)
    assert(chunks(frame) == 3L)
    assert(rereads(frame) == 0L)
    // They would have to read twice.
    assert(split(ran(moving("ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING"))) == 0)
  }

  sampledTest("each chunk reads rows until it has found the required rows") {
    // Far from each other in some places, near in others.
    val often = "t % IF(t < 700000, 50, 1000) = 7"
    val frame = ran(s"SELECT id * since(sum(v), $often) OVER (ORDER BY t) + id FROM large")
    assert(exchanged(frame) == 1L)
    assert(read(frame).metrics("recordsRead").value <= rows * 2L)
  }
}
