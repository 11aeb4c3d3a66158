package org.apache.spark.sql.muntin.errors

/** Formats a value in a message as users write it: frames, and columns of unnamed subqueries. */
private[muntin] object ShownValue {
  def apply(value: String): String =
    FrameFormatter(value.replace("__auto_generated_subquery_name.", ""))
}
