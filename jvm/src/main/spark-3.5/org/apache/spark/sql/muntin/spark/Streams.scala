package org.apache.spark.sql.muntin.spark

/** Whether windows over streams run: what they need came with Spark 4.0. */
object Streams {

  /** Why they do not run. */
  val refusal: Option[String] = Some(
    "which needs Spark 4.0 or later: the state of windows is in families of columns, in the " +
      "order of time, and the state store of Spark 3.5 has neither. In a batch, windows run on " +
      "Spark 3.5, too"
  )

  private[spark] def refused: Nothing =
    throw new UnsupportedOperationException(s"a window over a stream, ${refusal.mkString}")
}
