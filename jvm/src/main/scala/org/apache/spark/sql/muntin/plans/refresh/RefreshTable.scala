package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.plans.logical.CommandNode
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinAnalysisException}
import org.apache.spark.sql.types.{BooleanType, LongType, MapType, StringType}

/**
 * The table functions refresh and affected, while their tables are being resolved.
 *
 * @param children
 *   the query and, if they are arguments, the changed rows
 */
final case class UnresolvedRefresh(
    children: Seq[LogicalPlan],
    request: RefreshRequest,
    output: Seq[Attribute]
) extends LogicalPlan {
  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[LogicalPlan]
  ): UnresolvedRefresh = copy(children = newChildren)
}

object UnresolvedRefresh {
  def apply(children: Seq[LogicalPlan], request: RefreshRequest): UnresolvedRefresh =
    UnresolvedRefresh(children, request, RefreshTable.columns(request.action))
}

/**
 * Refreshes a table when its rows are read. The plans are not children: the optimizer would change
 * them.
 */
final case class RefreshTable(
    query: LogicalPlan,
    changes: Option[LogicalPlan],
    request: RefreshRequest,
    output: Seq[Attribute]
) extends CommandNode {
  override def newInstance(): RefreshTable = copy(output = output.map(_.newInstance()))

  override def innerChildren: Seq[QueryPlan[_]] = query +: changes.toSeq

  override def simpleString(maxFields: Int): String = s"RefreshTable ${request.target}"
}

object RefreshTable {
  private[refresh] def columns(action: RefreshAction): Seq[Attribute] = action match {
    case RefreshAction.List =>
      AttributeReference("keys", KeyValues, nullable = false)() +:
        Seq("first", "last").map(AttributeReference(_, StringType)())
    case _ =>
      val counts = Seq("keys", "stretches", "read").map(AttributeReference(_, LongType)())
      val replaced =
        Seq("deleted", "inserted").map(AttributeReference(_, LongType, nullable = false)())
      val full = AttributeReference("full", BooleanType, nullable = false)()
      counts ++ replaced :+ full :+ AttributeReference("reason", StringType)()
  }

  /** The names of key columns, with their values as text. */
  private[refresh] val KeyValues: MapType = MapType(StringType, StringType)
}

/** Replaces the tables of `refresh` and `affected`, when they are resolved. */
final case class PlaceRefresh(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedRefresh(tables, request, output) if tables.forall(_.resolved) =>
      tables.foreach { table =>
        LocalSession.check(session, table)
        if (table.isStreaming) throw new MuntinAnalysisException("MUNTIN_REFRESH_OF_STREAM")
      }
      RefreshTable(tables.head, tables.lift(1), request, output)
  }
}
