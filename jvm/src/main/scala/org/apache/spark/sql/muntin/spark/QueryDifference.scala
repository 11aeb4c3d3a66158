package org.apache.spark.sql.muntin.spark

/**
 * A property in which a query differs from the query that a checkpoint belongs to; None if a query
 * does not have it.
 */
final case class QueryDifference(
    property: String,
    stored: Option[String],
    current: Option[String]
) {

  /** Returns the parameters of an error for the checkpoint in this folder. */
  def parameters(checkpoint: String): Seq[(String, String)] = Seq(
    "checkpoint" -> checkpoint,
    "property" -> property,
    "stored" -> stored.getOrElse("none"),
    "current" -> current.getOrElse("none")
  )
}
