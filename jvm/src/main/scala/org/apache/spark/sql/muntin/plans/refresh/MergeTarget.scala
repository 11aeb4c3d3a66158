package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.muntin.spark.TemporaryViews

/**
 * A table that supports MERGE. One MERGE deletes the rows of the stretches and inserts the results,
 * so it is done or not done as a whole.
 *
 *     source     is_result   k0   lo   hi     columns of the results
 *                false       a    90   110                             deletes k = a, t in 90 … 110
 *                true                         a  100  3.5              is inserted
 */
private[refresh] final class MergeTarget(session: SparkSession, name: String)
    extends RefreshTarget(session, name) {
  override def replace(stretches: Stretches, results: DataFrame): Unit = {
    val columns = results.columns.indices.map(i => s"c$i")
    val renamed = results.toDF(columns: _*).withColumn("is_result", lit(true))
    val source = stretches.frame.withColumn("is_result", lit(false))
      .unionByName(renamed, allowMissingColumns = true)
    TemporaryViews(source) { views =>
      val names = results.columns.map(c => s"`${c.replace("`", "``")}`").mkString(", ")
      session.sql(
        s"""MERGE INTO $name AS t USING ${views.head} AS s
           |ON NOT s.is_result AND ${stretches.condition("t", "s")}
           |WHEN MATCHED THEN DELETE
           |WHEN NOT MATCHED AND s.is_result
           |  THEN INSERT ($names) VALUES (${columns.map(c => s"s.$c").mkString(", ")})"""
          .stripMargin
      ): Unit
    }
  }
}
