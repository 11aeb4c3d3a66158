package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.plans.logical.CommandNode
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinAnalysisException}
import org.apache.spark.sql.types.LongType

/** The table function refresh, while its tables are being resolved. */
final case class UnresolvedRefresh(
    left: LogicalPlan,
    right: LogicalPlan,
    request: RefreshRequest,
    output: Seq[Attribute] = RefreshTable.columns
) extends BinaryNode {
  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): UnresolvedRefresh = copy(left = newLeft, right = newRight)
}

/**
 * Refreshes a table when its row is read. The plans are not children: the optimizer would change
 * them.
 */
final case class RefreshTable(
    query: LogicalPlan,
    changes: LogicalPlan,
    request: RefreshRequest,
    output: Seq[Attribute]
) extends CommandNode {
  override def newInstance(): RefreshTable = copy(output = output.map(_.newInstance()))

  override def innerChildren: Seq[QueryPlan[_]] = Seq(query, changes)

  override def simpleString(maxFields: Int): String = s"RefreshTable ${request.target}"
}

object RefreshTable {
  private[refresh] def columns: Seq[Attribute] = Seq("keys", "stretches", "deleted", "inserted")
    .map(AttributeReference(_, LongType, nullable = false)())
}

/** Replaces the tables of `refresh` by a node that runs it, when they are resolved. */
final case class PlaceRefresh(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedRefresh(query, changes, request, output)
        if query.resolved && changes.resolved =>
      Seq(query, changes).foreach { table =>
        LocalSession.check(session, table)
        if (table.isStreaming) throw new MuntinAnalysisException("MUNTIN_REFRESH_OF_STREAM")
      }
      RefreshTable(query, changes, request, output)
  }
}
