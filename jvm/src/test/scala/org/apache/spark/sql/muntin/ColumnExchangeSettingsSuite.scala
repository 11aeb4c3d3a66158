package org.apache.spark.sql.muntin

import io.muntin.kernel.MuntinSuite
import org.apache.spark.SparkEnv
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.exchange.ColumnExchangeExec

/**
 * The columnar exchange with all shuffle settings of a context, and after files of a shuffle are
 * lost: equal rows. Each test has its own contexts, because Spark treats a block manager that has
 * lost files as dead, and reads no more files from it.
 */
class ColumnExchangeSettingsSuite extends MuntinSuite with AdaptiveSparkPlanHelper {
  private val query =
    "SELECT *, sum(x) OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING) AS r FROM t"

  private def inContext[T](settings: (String, String)*)(body: SparkSession => T): T = {
    SharedContext.stop()
    val usual = Seq[(String, String)](
      "spark.ui.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "7",
      MuntinConf.ExchangeEnabled.key -> "true"
    )
    val builder = SparkSession.builder().master("local[2]")
    (usual ++ settings).foreach { case (k, v) => builder.config(k, v) }
    val spark = builder.getOrCreate()
    try {
      spark.sparkContext.setLogLevel("OFF")
      RandomTable.create(spark, "t", rows = 300, seed = 5)
      body(spark)
    } finally {
      spark.stop()
      SparkSession.clearActiveSession()
      SparkSession.clearDefaultSession()
    }
  }

  private def sorted(rows: Array[Row]): Seq[String] = rows.toSeq.map(SplitSession.bits).sorted

  private def exchanges(made: DataFrame): Seq[ColumnExchangeExec] =
    collect(made.queryExecution.executedPlan) { case e: ColumnExchangeExec => e }

  private def rows(settings: (String, String)*): Seq[String] = inContext(settings: _*) { spark =>
    val made = spark.sql(query)
    val rows = sorted(made.collect())
    assert(exchanges(made).isEmpty === settings.contains(MuntinConf.ExchangeEnabled.key -> "false"))
    rows
  }

  private lazy val expected = rows(MuntinConf.ExchangeEnabled.key -> "false")

  test("codecs, encryption, serialized and sorted writes, checksums: equal rows") {
    val each = Seq(
      Seq("spark.io.compression.codec" -> "zstd", "spark.io.encryption.enabled" -> "true"),
      Seq(
        "spark.shuffle.compress" -> "false",
        "spark.shuffle.sort.bypassMergeThreshold" -> "1",
        "spark.shuffle.checksum.enabled" -> "false"
      ),
      Seq(
        "spark.shuffle.sort.bypassMergeThreshold" -> "1",
        "spark.shuffle.spill.numElementsForceSpillThreshold" -> "2",
        "spark.io.encryption.enabled" -> "true"
      ),
      Seq("spark.sql.adaptive.enabled" -> "false", "spark.io.compression.codec" -> "snappy")
    )
    each.foreach(settings => assert(rows(settings: _*) === expected, settings))
  }

  test("a lost shuffle file is written again") {
    val before = expected
    inContext("spark.sql.adaptive.enabled" -> "false") { spark =>
      val made = spark.sql(query)
      def files = SparkEnv.get.blockManager.diskBlockManager.getAllFiles()
        .filter(_.getName.startsWith(s"shuffle_${exchanges(made).head.shuffleId}_"))
      assert(sorted(made.collect()) === before)
      val lost = files
      assert(lost.nonEmpty)
      lost.foreach(_.delete())
      assert(files.isEmpty)
      assert(sorted(made.collect()) === before)
      assert(files.nonEmpty)
    }
  }
}
