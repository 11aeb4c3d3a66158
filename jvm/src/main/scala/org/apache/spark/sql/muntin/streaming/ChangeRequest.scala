package org.apache.spark.sql.muntin.streaming

/**
 * What a call of compare or change requests.
 *
 * @param checkpoint
 *   the checkpoint of the query before the change
 * @param to
 *   the folder of the copy; None for compare
 * @param allowsIncomplete
 *   whether windows may restart, or be dropped with rows that wait
 * @param outputsUpdates
 *   whether the changed query starts in output mode update; None for the mode in the checkpoint
 * @param renamed
 *   the names of columns before the change, with their names in the changed query
 */
final case class ChangeRequest(
    checkpoint: String,
    to: Option[String],
    allowsIncomplete: Boolean,
    outputsUpdates: Option[Boolean],
    renamed: Map[String, String]
) {
  override def toString: String = (checkpoint +: to.toSeq).mkString(", ")
}
