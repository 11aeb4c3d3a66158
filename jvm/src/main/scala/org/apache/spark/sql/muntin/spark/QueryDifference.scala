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

  /** Returns the error of a query that starts with the checkpoint in this folder. */
  def error(checkpoint: String): MuntinAnalysisException = this match {
    case QueryDifference(QueryDifference.Layout, Some(layout), Some(ours)) =>
      new MuntinAnalysisException(
        "MUNTIN_STATE_OF_OTHER_LAYOUT",
        "stored" -> layout,
        "current" -> ours
      )
    case _ =>
      new MuntinAnalysisException("MUNTIN_CHECKPOINT_OF_OTHER_QUERY", parameters(checkpoint): _*)
  }
}

object QueryDifference {

  /** The property with the version of the state's layout. */
  val Layout: String = "layout"
}
