package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.util.quoteIdentifier
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
private[refresh] abstract class MergeTarget(session: SparkSession, name: String)
    extends RefreshTarget(session, name) {
  final override def partitioning: Seq[String] = Nil

  // MERGE writes the files again that contain a replaced row; which, is not known before.
  final override def rewritten(former: PartitionCounts): Double = if (former.rows == 0) 0.0 else 1.0

  /** Runs `body`, whose commit stores the position, in a session that has the same views. */
  protected def storing(position: Option[RefreshPosition])(body: SparkSession => Unit): Unit

  final override def replace(
      stretches: Stretches,
      results: DataFrame,
      deleted: PartitionCounts,
      inserted: PartitionCounts,
      position: Option[RefreshPosition]
  ): Unit = {
    val columns = results.columns.indices.map(i => s"c$i")
    val renamed = results.toDF(columns: _*).withColumn("is_result", lit(true))
    val source = stretches.frame.withColumn("is_result", lit(false))
      .unionByName(renamed, allowMissingColumns = true)
    TemporaryViews(source) { views =>
      val names = results.columns.map(quoteIdentifier).mkString(", ")
      storing(position) { session =>
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

  final override def replaceAll(results: DataFrame, position: Option[RefreshPosition]): Unit =
    TemporaryViews(results) { views =>
      storing(position)(_.table(views.head).writeTo(name).overwrite(lit(true)))
    }
}
