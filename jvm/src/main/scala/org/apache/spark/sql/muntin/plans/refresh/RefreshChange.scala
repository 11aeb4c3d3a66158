package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What has changed since a table of results was refreshed. */
private[refresh] sealed trait RefreshChange

private[refresh] object RefreshChange {
  case object Nothing extends RefreshChange

  /** Everything may have changed, for this cause. */
  final case class Everything(cause: String) extends RefreshChange

  /**
   * Rows of a source.
   *
   * @param plan
   *   the query, which contains `source`
   * @param rows
   *   the changed rows, with the columns of `locality.rows`
   * @param feed
   *   where `rows` are from; None if they are from the caller
   * @param position
   *   the position afterwards
   */
  final case class Rows(
      plan: LogicalPlan,
      source: LogicalPlan,
      locality: KeyLocality,
      rows: LogicalPlan,
      feed: Option[ChangeFeed],
      position: Option[RefreshPosition]
  ) extends RefreshChange
}
