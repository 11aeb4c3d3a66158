package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  ExprId,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.toPrettySQL

/**
 * The names that the columns of an analyzed query had before a change. A column that now has such a
 * name gets another one:
 *
 *     x was renamed to y          SELECT sum(y) OVER w, max(x) OVER w
 *     with the former names       SELECT sum(x) OVER w, max(`x (now)`) OVER w
 *
 * @param renamed
 *   the names before the change, with the names in the query
 */
final class FormerNames(query: LogicalPlan, renamed: Map[String, String]) {
  private val Suffix = " (now)"
  private val former = renamed.map(_.swap)

  /** Columns that Spark named by their expression. */
  private val computed: Map[ExprId, (String, String)] = query.collect { case plan =>
    plan.expressions.flatMap(_.collect {
      case a: Alias if a.name == toPrettySQL(a.child) =>
        a.exprId -> (a.name -> toPrettySQL(of(a.child)))
    })
  }.flatten.toMap

  private val texts: Map[String, String] = computed.values.toMap

  /** Returns the former name of a column with this name. */
  def apply(name: String): String = texts.getOrElse(name, nameOf(name))

  private def apply(column: NamedExpression): String =
    computed.get(column.exprId).fold(apply(column.name))(_._2)

  private def of(expression: Expression): Expression = expression.transform {
    case column: Attribute => column.withName(nameOf(column.name))
  }

  private def nameOf(name: String): String =
    former.getOrElse(name, if (renamed.contains(name)) s"$name$Suffix" else name)

  /** Returns the own name of a column whose name another column had before. */
  def own(name: String): String = name.stripSuffix(Suffix)

  /** The query with these names. */
  lazy val plan: LogicalPlan = {
    def named(expression: Expression): Expression = expression match {
      case column: Attribute => column.withName(apply(column))
      case alias: Alias =>
        Alias(named(alias.child), apply(alias))(
          alias.exprId,
          alias.qualifier,
          alias.explicitMetadata,
          alias.nonInheritableMetadataKeys
        )
      case other => other.mapChildren(named)
    }
    query.transform { case node => node.mapExpressions(named) }
  }
}
