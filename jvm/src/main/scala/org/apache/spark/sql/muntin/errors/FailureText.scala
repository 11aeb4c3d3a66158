package org.apache.spark.sql.muntin.errors

/** The text of a failure in a message: the first line of its first cause. */
object FailureText {
  private val MostCauses = 10

  /** Returns a failure and its causes; a cause may be its own cause. */
  def causes(failure: Throwable): Seq[Throwable] =
    Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(MostCauses).toSeq

  def apply(failure: Throwable): String =
    causes(failure).reverse
      .flatMap(cause => Option(cause.getMessage)).map(_.takeWhile(_ != '\n').stripSuffix("."))
      .find(_.nonEmpty).getOrElse(failure.getClass.getName)
}
