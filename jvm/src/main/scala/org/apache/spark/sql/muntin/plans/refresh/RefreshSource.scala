package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, PlanExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.LogicalRelation

/** Finds the changed table of a query, which the query must read once. */
private[refresh] final class RefreshSource(
    query: LogicalPlan,
    error: (String, Seq[(String, String)]) => Throwable
) {
  import RefreshSource.nameOf

  /**
   * Returns the changed table or view with this name. Without a name, it is the only table of the
   * query, or the outermost view of its rows that has the columns of the changes.
   */
  def of(name: Option[String], changes: LogicalPlan): LogicalPlan = {
    val found = name.fold(query.collectLeaves())(named(query, _))
    found match {
      case Seq(one) if !query.exists(hasSubquery) =>
        if (name.isDefined) one else viewOf(one, changes).getOrElse(one)
      case _ => throw ambiguous(name)
    }
  }

  private def ambiguous(name: Option[String]) = error(
    "MUNTIN_REFRESH_SOURCE",
    Seq(
      "source" -> name.fold("no source")(s => s"the source `$s`"),
      "tables" -> names(query).distinct.map(name => s"`$name`").mkString(", ")
    )
  )

  private def viewOf(leaf: LogicalPlan, changes: LogicalPlan): Option[LogicalPlan] = {
    val columns = changes.output.map(NamedType.of(_)).toSet
    def fits(node: LogicalPlan) = node.output.forall(c => columns(NamedType.of(c)))
    def isSame(node: LogicalPlan) = fits(node) && node.output.size == columns.size
    val views = viewsOf(leaf)
    val view = views.find(isSame).orElse(if (fits(leaf)) None else views.find(fits))
    // The rows may be meant as rows of the table or of the view, which has computed columns.
    if (isSame(leaf) && view.exists(v => !v.output.forall(isColumnOf(_, v, leaf)))) {
      throw ambiguous(None)
    }
    view
  }

  /** Returns true if a column of `node` is the column of the leaf with the same name. */
  private def isColumnOf(column: Attribute, node: LogicalPlan, leaf: LogicalPlan): Boolean =
    node match {
      case _ if node eq leaf => leaf.output.exists(c => c.exprId == column.exprId)
      case Project(list, child) =>
        list.find(_.exprId == column.exprId).exists {
          case a: Attribute => isColumnOf(a, child, leaf)
          case Alias(SameColumn(a), name) => name == a.name && isColumnOf(a, child, leaf)
          case _ => false
        }
      case other => other.children.exists(isColumnOf(column, _, leaf))
    }

  /** Returns the changed rows as rows of the source. */
  def rowsOf(source: LogicalPlan, changes: LogicalPlan): LogicalPlan =
    RowsOf(source, changes) { column =>
      changes.output.find(_.name == column.name) match {
        case Some(same) if NamedType.of(same) == NamedType.of(column) => same
        case found =>
          throw error(
            "MUNTIN_REFRESH_CHANGES_COLUMN",
            Seq(
              "column" -> column.name,
              "type" -> column.dataType.sql,
              "found" -> found.fold("no such column")(_.dataType.sql)
            )
          )
      }
    }

  /** Returns the views whose rows are rows of the leaf, the outermost first. */
  private def viewsOf(leaf: LogicalPlan): Seq[LogicalPlan] = query.collect {
    case node if nameOf(node).isDefined && node.exists(_ eq leaf) && !node.exists(combinesRows) =>
      node
  }

  private def combinesRows(node: LogicalPlan): Boolean = node match {
    case _: Project | _: Filter | _: SubqueryAlias | _: View | _: LeafNode => false
    case _ => true
  }

  private def hasSubquery(node: LogicalPlan): Boolean =
    node.expressions.exists(_.exists(_.isInstanceOf[PlanExpression[_]]))

  /** Returns the tables and views with this name; of a view in a view, the outer one. */
  private def named(plan: LogicalPlan, name: String): Seq[LogicalPlan] =
    if (nameOf(plan).exists(isSame(_, name))) Seq(plan) else plan.children.flatMap(named(_, name))

  private def names(plan: LogicalPlan): Seq[String] =
    nameOf(plan).fold(plan.children.flatMap(names))(Seq(_))

  private def isSame(found: String, name: String): Boolean =
    found.split('.').last.equalsIgnoreCase(name.split('.').last)
}

private[refresh] object RefreshSource {

  /** Returns the name of a table or a view. */
  def nameOf(plan: LogicalPlan): Option[String] = plan match {
    case SubqueryAlias(id, _) if !isOfQuery(id.name) => Some(id.name)
    case relation: LogicalRelation => relation.catalogTable.map(_.identifier.table)
    case relation: NamedRelation => Some(relation.name)
    case _ => None
  }

  // The views of the arguments of DataFrame calls, and subqueries without a name.
  private def isOfQuery(name: String): Boolean =
    name.startsWith("muntin_") || name.startsWith("__auto_generated")
}
