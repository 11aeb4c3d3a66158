package org.apache.spark.sql.muntin.plans.refresh

/** What a table of results says about its last refresh. */
private[refresh] sealed trait StoredPosition

private[refresh] object StoredPosition {

  /** No refresh has stored a position. */
  case object Unknown extends StoredPosition

  /** The last change of the table was a refresh. */
  final case class Fresh(position: RefreshPosition) extends StoredPosition

  /** Another program has changed the results since. */
  case object Overwritten extends StoredPosition

  /**
   * Returns what the changes of a table say, the newest first.
   *
   * @param changes
   *   for each change that is not maintenance: the text of its position, if it is a refresh
   */
  def of(changes: Iterator[Option[String]]): StoredPosition =
    if (!changes.hasNext) Unknown
    else {
      changes.next() match {
        case Some(text) => Fresh(RefreshPosition.of(text))
        case None => if (changes.exists(_.isDefined)) Overwritten else Unknown
      }
    }
}
