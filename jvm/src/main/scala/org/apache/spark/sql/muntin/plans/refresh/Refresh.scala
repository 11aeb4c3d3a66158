package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.muntin.plans.logical.InlinedCtes
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException

/**
 * Computes the results again that changed rows of a source affect, and replaces them in a table:
 *
 *     changes      -> changed rows below the windows   -> stretches of results (Stretches)
 *     query        -> over the rows of the stretches   -> results of the stretches
 *     target       -> without the stretches, and with these results
 */
final class Refresh(
    session: SparkSession,
    query: LogicalPlan,
    changes: LogicalPlan,
    request: RefreshRequest
) {
  private val plan = InlinedCtes(query)
  private val source = sourceOf(plan)
  checkDeterministic()
  private val locality =
    try KeyLocality.of(plan, source)
    catch {
      case e: KeyLocality.NotLocal =>
        throw error("MUNTIN_REFRESH_OF_WHOLE_TABLE", "reason" -> e.reason)
    }
  private val target = RefreshTarget.of(session, request.target, plan.output)

  def run(): Refresh.Summary = {
    val stretches = new Stretches(session, locality, replaced(locality.rows, source, changed))
    try {
      val restricted = replaced(plan, locality.rows, stretches.read(locality.rows))
      val results =
        Dataset.ofRows(session, stretches.affected(restricted)).persist()
      try {
        val former = Dataset.ofRows(session, stretches.affected(target.rows))
        val summary =
          Refresh.Summary(stretches.countKeys, stretches.count, former.count(), results.count())
        if (!request.isDryRun) target.replace(stretches, results)
        summary
      } finally results.unpersist(): Unit
    } finally stretches.release()
  }

  /** Returns the changed rows as the source's rows. */
  private def changed: LogicalPlan = Project(
    source.output.map { column =>
      changes.output.find(_.name == column.name) match {
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
    changes
  )

  private def replaced(plan: LogicalPlan, part: LogicalPlan, by: LogicalPlan): LogicalPlan =
    if (plan eq part) by else plan.mapChildren(replaced(_, part, by))

  private def sourceOf(plan: LogicalPlan): LogicalPlan = {
    val all = leaves(plan, None)
    val found = request.source.fold(all)(name => all.filter(_._1.exists(isNamed(_, name))))
    // A query in an expression may read the source.
    val inExpressions = plan.collectWithSubqueries { case leaf if leaf.children.isEmpty => leaf }
      .size - plan.collectLeaves().size
    found match {
      case Seq((_, leaf)) if inExpressions == 0 => leaf
      case _ =>
        throw error(
          "MUNTIN_REFRESH_SOURCE",
          "source" -> request.source.fold("no source")(s => s"the source `$s`"),
          "tables" -> all.map(_._1.fold("a table without a name")(n => s"`$n`")).mkString(", ")
        )
    }
  }

  /** Returns the relations of a plan with their names. */
  private def leaves(plan: LogicalPlan, name: Option[String]): Seq[(Option[String], LogicalPlan)] =
    plan match {
      case SubqueryAlias(id, child) => leaves(child, name.orElse(Some(id.name)))
      case relation: LogicalRelation =>
        Seq(relation.catalogTable.map(_.identifier.table).orElse(name) -> relation)
      case relation: NamedRelation => Seq(name.orElse(Some(relation.name)) -> relation)
      case leaf: LogicalPlan if leaf.children.isEmpty => Seq(name -> leaf)
      case view: View => leaves(view.child, name)
      case other => other.children.flatMap(leaves(_, None))
    }

  private def isNamed(found: String, name: String): Boolean =
    found.split('.').last.equalsIgnoreCase(name.split('.').last)

  private def checkDeterministic(): Unit = plan.foreachUp { node =>
    node.expressions.foreach(_.foreach {
      case e @ (_: CurrentTimestampLike | _: CurrentDate | _: LocalTimestamp | _: Nondeterministic) =>
        throw error("MUNTIN_REFRESH_NOT_DETERMINISTIC", "expression" -> e.sql)
      case e if !e.deterministic && e.children.forall(_.deterministic) =>
        throw error("MUNTIN_REFRESH_NOT_DETERMINISTIC", "expression" -> e.sql)
      case _ =>
    })
  }

  private def error(condition: String, parameters: (String, String)*): AnalysisException =
    new MuntinAnalysisException(condition, ("target" -> request.target) +: parameters: _*)
}

object Refresh {

  /** What a refresh replaces: how many keys, stretches, and results before and after. */
  final case class Summary(keys: Long, stretches: Long, deleted: Long, inserted: Long)
}
