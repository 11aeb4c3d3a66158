package org.apache.spark.sql.muntin.streaming

/**
 * What becomes of a window function of a checkpoint, or of a changed query.
 *
 * @param operator
 *   the operator's number in the changed query; None if the query does not have it
 * @param function
 *   None for a window without functions
 */
private[streaming] final case class WindowChange(
    operator: Option[Long],
    window: String,
    function: Option[String],
    action: ChangeAction,
    reason: Option[String]
)

/** What becomes of a function. */
private[streaming] sealed abstract class ChangeAction(val text: String)

private[streaming] object ChangeAction {

  /** Its results are the results of one query over all rows. */
  case object Continues extends ChangeAction("continues")

  /** Its results lack rows before the change. */
  case object Restarts extends ChangeAction("restarts")

  /** The query does not have it. */
  case object IsDropped extends ChangeAction("is dropped")

  /** The state does not determine its results. */
  case object NeedsHistory extends ChangeAction("needs history")
}
