package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.spark.BatchQuery

/**
 * The tables that a query reads, each at one version.
 *
 * @param query
 *   the query over these versions
 * @param feeds
 *   the leaves of `query`, with their feeds
 * @param untracked
 *   the leaves whose changes cannot be found
 */
private[refresh] final class TrackedTables private (
    val query: LogicalPlan,
    val feeds: Seq[(LogicalPlan, ChangeFeed)],
    val untracked: Seq[LogicalPlan]
) {

  /** Returns up to where the results of the query are fresh; None if a table is not tracked. */
  def position(digest: String): Option[RefreshPosition] =
    if (untracked.nonEmpty) None
    else {
      val positions = feeds.map { case (_, feed) => feed.table -> feed.position }
      // Two versions of one table in one query.
      Some(RefreshPosition(digest, positions.toMap)).filter { stored =>
        positions.forall { case (table, at) => stored.sources(table) == at }
      }
    }
}

private[refresh] object TrackedTables {
  def of(session: SparkSession, query: LogicalPlan, footers: Footers): TrackedTables = {
    val feeds = Seq.newBuilder[(LogicalPlan, ChangeFeed)]
    val untracked = Seq.newBuilder[LogicalPlan]
    def pinned(plan: LogicalPlan): LogicalPlan = plan match {
      case leaf: LeafNode =>
        ChangeFeed.of(session, leaf) match {
          case Some(feed) =>
            val rows = footers.in(BatchQuery.plan(feed.rows))
            val version = RowsOf(leaf, rows)(column => rows.output.find(_.name == column.name).get)
            feeds += version -> feed
            version
          case None =>
            if (!isConstant(leaf)) untracked += leaf
            leaf
        }
      case node =>
        // A query in an expression reads tables, too.
        node.mapChildren(pinned).mapExpressions(_.transform {
          case subquery: SubqueryExpression => subquery.withNewPlan(pinned(subquery.plan))
        })
    }
    val made = pinned(query)
    new TrackedTables(made, feeds.result(), untracked.result())
  }

  private def isConstant(leaf: LogicalPlan): Boolean = leaf match {
    case _: LocalRelation | _: OneRowRelation | _: Range => true
    case _ => false
  }
}
