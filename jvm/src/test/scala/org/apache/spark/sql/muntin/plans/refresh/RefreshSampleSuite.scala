package org.apache.spark.sql.muntin.plans.refresh

import java.nio.file.Files

import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.muntin.MuntinSession
import org.apache.spark.sql.muntin.spark.BatchQuery

/** Estimates of a refresh from some of its keys and files. */
final class RefreshSampleSuite extends MuntinSession {
  override protected def settings: Map[String, String] =
    super.settings ++ Map("spark.sql.shuffle.partitions" -> "2")

  private def rowsOf(plan: LogicalPlan): Long = BatchQuery(spark, plan).count()

  test("the estimate is near the counts of all keys and files") {
    val folder = Files.createTempDirectory("muntin-sample").toString
    spark.range(0, 40000, 1, 40).selectExpr(
      "pmod(hash(id), 2000) AS k",
      "id AS t",
      "id * 0.5 AS x",
      "id DIV 1000 AS p"
    ).write.mode("overwrite").parquet(folder)
    val table = spark.read.parquet(folder)
    table.createOrReplaceTempView("sample_src")
    val query = spark.sql(
      """SELECT k, t, p, sum(x) OVER (PARTITION BY k ORDER BY t RANGE 2000 PRECEDING) AS s
        |FROM sample_src""".stripMargin
    )
    spark.sql("DROP TABLE IF EXISTS sample_results")
    try {
      query.write.partitionBy("p").format("parquet").saveAsTable("sample_results")
      val footers = new Footers(spark)
      val plan = footers.in(BatchQuery.plan(query))
      val source = plan.collectFirst { case leaf: LeafNode => leaf }.get
      val locality = KeyLocality.of(plan, source)((condition, _) => new Exception(condition))
      val target = RefreshTarget.of(spark, "sample_results", plan.output)
      // As large as the changes of a table.
      val rows = new RefreshSource(plan, (condition, _) => new Exception(condition))
        .rowsOf(source, BatchQuery.plan(table.where("t >= 20000 AND t % 10 = 0")))
      val changed = locality.rows.transform { case leaf if leaf eq source => rows }
      val sample =
        new RefreshSample(spark, locality, changed, target, footers.in(target.rows), footers)
      assert(sample.isUseful(source))
      val some = footers.someFiles(locality.rows)
      val part = footers.rowsOf(some).get / 40000.0
      assert(part > 0.15 && part < 0.25)
      val ofSample = new Stretches(spark, locality, sample.ofSomeKeys, footers)
      val estimate = sample.estimate(ofSample, 40000L, some, part)
      ofSample.release()
      val exact = new Stretches(spark, locality, changed, footers)
      def isNear(found: Double, wanted: Double) = found > wanted / 2 && found < wanted * 2
      assert(isNear(estimate.read.toDouble, rowsOf(exact.read(locality.rows)).toDouble))
      assert(isNear(estimate.stretches.toDouble, exact.count.toDouble))
      // The results from 20,000 on.
      assert(isNear(estimate.rewritten, 0.5), estimate)
      exact.release()
    } finally spark.sql("DROP TABLE IF EXISTS sample_results"): Unit
  }
}
