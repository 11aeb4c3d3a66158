package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.muntin.plans.logical.InlinedCtes
import org.apache.spark.sql.muntin.spark.{BatchQuery, MuntinAnalysisException}

/**
 * Computes the results again that changed rows of a source affect, and replaces them in a table:
 *
 *     changed      -> changed rows below the windows   -> stretches of results (Stretches)
 *     query        -> over the rows of the stretches   -> results of the stretches
 *     target       -> without the stretches, and with these results
 */
final class Refresh(
    session: SparkSession,
    query: LogicalPlan,
    changed: LogicalPlan,
    request: RefreshRequest
) {
  private val plan = InlinedCtes(query)
  private val source = sourceOf(plan)
  checkDeterministic()
  private val locality = KeyLocality.of(plan, source) { (condition, parameters) =>
    error(condition, parameters: _*)
  }
  private val target = RefreshTarget.of(session, request.target, plan.output)

  def run(): Refresh.Summary = {
    val stretches = new Stretches(session, locality, replaced(locality.rows, source, changedRows))
    try {
      val restricted = replaced(plan, locality.rows, stretches.read(locality.rows))
      val results =
        BatchQuery(session, stretches.affected(restricted)).persist()
      try {
        val former = BatchQuery(session, stretches.affected(target.rows))
        val summary =
          Refresh.Summary(stretches.countKeys, stretches.count, former.count(), results.count())
        if (!request.isDryRun) target.replace(stretches, results)
        summary
      } finally results.unpersist(): Unit
    } finally stretches.release()
  }

  /** Returns the changed rows as the source's rows. */
  private def changedRows: LogicalPlan = Project(
    source.output.map { column =>
      changed.output.find(_.name == column.name) match {
        case Some(same) if same.dataType == column.dataType =>
          Alias(same, column.name)(exprId = column.exprId, qualifier = column.qualifier)
        case found =>
          throw error(
            "MUNTIN_REFRESH_CHANGES_COLUMN",
            "column" -> column.name,
            "type" -> column.dataType.sql,
            "found" -> found.fold("no such column")(_.dataType.sql)
          )
      }
    },
    changed
  )

  private def replaced(plan: LogicalPlan, part: LogicalPlan, by: LogicalPlan): LogicalPlan =
    if (plan eq part) by else plan.mapChildren(replaced(_, part, by))

  private def sourceOf(plan: LogicalPlan): LogicalPlan = {
    val found = request.source.fold(plan.collectLeaves())(named(plan, _))
    found match {
      // A query in an expression may read the source, too.
      case Seq(one) if !plan.exists(hasSubquery) => one
      case _ =>
        throw error(
          "MUNTIN_REFRESH_SOURCE",
          "source" -> request.source.fold("no source")(s => s"the source `$s`"),
          "tables" -> names(plan).distinct.map(name => s"`$name`").mkString(", ")
        )
    }
  }

  private def hasSubquery(node: LogicalPlan): Boolean =
    node.expressions.exists(_.exists(_.isInstanceOf[PlanExpression[_]]))

  /** Returns the tables and views with this name; of a view in a view, the outer one. */
  private def named(plan: LogicalPlan, name: String): Seq[LogicalPlan] =
    if (nameOf(plan).exists(isSame(_, name))) Seq(plan) else plan.children.flatMap(named(_, name))

  private def names(plan: LogicalPlan): Seq[String] =
    nameOf(plan).fold(plan.children.flatMap(names))(Seq(_))

  private def nameOf(plan: LogicalPlan): Option[String] = plan match {
    case SubqueryAlias(id, _) if !isOfQuery(id.name) => Some(id.name)
    case relation: LogicalRelation => relation.catalogTable.map(_.identifier.table)
    case relation: NamedRelation => Some(relation.name)
    case _ => None
  }

  // The views of the arguments of DataFrame calls, and subqueries without a name.
  private def isOfQuery(name: String): Boolean =
    name.startsWith("muntin_") || name.startsWith("__auto_generated")

  private def isSame(found: String, name: String): Boolean =
    found.split('.').last.equalsIgnoreCase(name.split('.').last)

  private def checkDeterministic(): Unit = plan.foreachUp { node =>
    node.expressions.flatMap(_.find(changes(_))).headOption.foreach { expression =>
      throw error("MUNTIN_REFRESH_NOT_DETERMINISTIC", "expression" -> expression.sql)
    }
  }

  /** Returns true if the expression itself has another value in each run. */
  private def changes(expression: Expression): Boolean = expression match {
    case _: CurrentTimestampLike | _: CurrentDate | _: LocalTimestamp => true
    case other => !other.deterministic && other.children.forall(_.deterministic)
  }

  private def error(condition: String, parameters: (String, String)*): AnalysisException =
    new MuntinAnalysisException(condition, ("target" -> request.target) +: parameters: _*)
}

object Refresh {

  /** What a refresh replaces: how many keys, stretches, and results before and after. */
  final case class Summary(keys: Long, stretches: Long, deleted: Long, inserted: Long)
}
