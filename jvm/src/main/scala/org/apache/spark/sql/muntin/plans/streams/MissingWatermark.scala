package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.plans.logical.GroupWindows

/**
 * Describes what is wrong with a time of `rows`, a stream, that has no watermark, and how to fix
 * it.
 */
private[plans] object MissingWatermark {
  def apply(time: Attribute, rows: LogicalPlan, missed: String): String =
    rows.collectFirst {
      case windows: GroupWindows if windows.isStreaming => ofWindows(windows)
    } match {
      case Some(times) =>
        s"${time.sql}, which is not when the windows come out that the rows are; $times"
      case None =>
        s"${time.sql}, a column of a stream without a watermark: nobody could tell when $missed. " +
          s"""Write df.withWatermark("${time.name}", "10 minutes"), or set """ +
          "spark.muntin.stream.order=arrival"
    }

  /** Names the times that propagate the windows' watermark. */
  def ofWindows(windows: GroupWindows): String =
    names(windows, windows.plan.times) match {
      case Nil => s"${windows.window.sql} has no such time"
      case out =>
        val begins = names(windows, windows.plan.begins.toSeq)
        s"order and group them by ${(out ++ begins).mkString(" or ")}, as in w.${out.head}"
    }

  private def names(windows: GroupWindows, fields: Seq[Int]): Seq[String] =
    fields.map(windows.plan.dataType(_).name)
}
