package org.apache.spark.sql.muntin.plans.refresh

/**
 * A refresh of a table of results.
 *
 * @param target
 *   the table
 * @param source
 *   the changed table in the query; None if the query reads one table
 * @param isWhole
 *   whether all results are computed; None if an estimate decides
 */
final case class RefreshRequest(
    target: String,
    source: Option[String],
    action: RefreshAction,
    isWhole: Option[Boolean]
) {
  def isDryRun: Boolean = action != RefreshAction.Replace
}

/** What a refresh does with the affected results. */
sealed trait RefreshAction

object RefreshAction {

  /** Replaces the results in the table, and returns how many. */
  case object Replace extends RefreshAction

  /** Returns how many results it would replace. */
  case object Count extends RefreshAction

  /** Returns the keys and times of the results. */
  case object List extends RefreshAction
}
