package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.plans.logical.GroupWindows
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException

/** The error for a time of `rows`, a stream, that has no watermark. */
private[plans] object MissingWatermark {
  def apply(function: String, time: Attribute, rows: LogicalPlan): AnalysisException =
    rows.collectFirst {
      case windows: GroupWindows if windows.isStreaming => windows
    } match {
      case Some(windows) if timesOf(windows).isEmpty =>
        new MuntinAnalysisException(
          "MUNTIN_WINDOWS_WITHOUT_END",
          "function" -> function,
          "time" -> time.name,
          "window" -> windows.window.sql
        )
      case Some(windows) =>
        new MuntinAnalysisException(
          "MUNTIN_NOT_A_TIME_OF_WINDOWS",
          "function" -> function,
          "time" -> time.name,
          "window" -> windows.window.sql,
          "times" -> timesOf(windows).mkString(" or ")
        )
      case None =>
        new MuntinAnalysisException(
          "MUNTIN_MISSING_WATERMARK",
          "function" -> function,
          "time" -> time.name
        )
    }

  /** Returns the fields that propagate the windows' watermark, as fields of a column `w`. */
  def timesOf(windows: GroupWindows): Seq[String] =
    (windows.plan.times ++ windows.plan.begins)
      .map(field => s"w.${windows.plan.dataType(field).name}")
}
