package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.spark.{FunctionBody, LocalSession, MuntinAnalysisException}

/**
 * Rejects CREATE FUNCTION … RETURN nth(x, 2). Spark looks up the functions of a body itself, before
 * any rule sees the body, and finds Muntin's functions only by their qualified names. The error
 * shows the qualified name.
 */
final class CheckFunctionBodies(session: SparkSession) extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan match {
    case FunctionBody(expression, query) =>
      val parser = LocalSession.parser(session)
      expression.foreach(text => check(parser.parseExpression(text)))
      query.foreach(text => check(parser.parsePlan(text)))
    case _ =>
  }

  private def check(plan: LogicalPlan): Unit = plan.foreach(_.expressions.foreach(check))

  private def check(expression: Expression): Unit = expression.foreach {
    case call: UnresolvedFunction => check(call)
    case subquery: SubqueryExpression => check(subquery.plan)
    case _ =>
  }

  private def check(call: UnresolvedFunction): Unit =
    if (!ResolveNames.isOwn(call.nameParts)) {
      ResolveNames.resolveName(session, call.nameParts).foreach { function =>
        throw new MuntinAnalysisException(
          "MUNTIN_UNQUALIFIED_NAME_IN_FUNCTION_BODY",
          "function" -> call.nameParts.mkString("."),
          "qualifiedName" -> s"`${function.qualifiedName}`"
        )
      }
    }
}

object CheckFunctionBodies {
  def apply(session: SparkSession): CheckFunctionBodies = new CheckFunctionBodies(session)
}
