package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.AnalysisException

/** Spark's error of a window function whose OVER clause has no ORDER BY. */
object UnorderedWindow {
  def apply(function: String, call: String): AnalysisException = new AnalysisException(
    errorClass = "WINDOW_FUNCTION_FRAME_NOT_ORDERED",
    messageParameters = Map("wf_name" -> function, "wf_expr" -> call)
  )
}
