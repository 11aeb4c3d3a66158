package org.apache.spark.sql.muntin

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.scalatest.funsuite.AnyFunSuite

/** The exchange of columns with what a session can say of shuffles: the same rows. */
class ColumnExchangeSettingsSuite extends AnyFunSuite {
  private def rows(settings: (String, String)*): Seq[String] = {
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
      val made = spark.sql(
        "SELECT *, sum(x) OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING) AS r FROM t"
      )
      val rows = made.collect().toSeq.map(SplitSession.bits).sorted
      val isOurs = made.queryExecution.executedPlan.toString.contains("MuntinExchange")
      assert(isOurs === !settings.contains(MuntinConf.ExchangeEnabled.key -> "false"))
      rows
    } finally {
      spark.stop()
      SparkSession.clearActiveSession()
      SparkSession.clearDefaultSession()
    }
  }

  test("codecs, encryption, serialized and sorted writes, checksums: the same rows") {
    val expected = rows(MuntinConf.ExchangeEnabled.key -> "false")
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
}
