package org.apache.spark.sql.muntin.plans.checks

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.{Star, UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.common.Arguments

/**
 * Reports a str that names a column and was meant as an expression: `mt.since(F.sum("x"), "x > 2")`
 * looks for a column of the name `x > 2`. Spark's own error does not suggest an expression.
 *
 * Runs after Spark has resolved what it can, so an existing column of such a name is found first.
 */
object SuggestExpressions extends Rule[LogicalPlan] {
  private val prefix = "muntin."

  private val room = s"${classOf[Arguments].getPackage.getName}."

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (!plan.resolved) plan.foreach { node =>
      if (!node.resolved && node.childrenResolved) node.expressions.foreach(check(_, None))
    }
    plan
  }

  /** Checks an expression, with the function that contains it, if any. */
  private def check(expression: Expression, function: Option[String]): Unit = expression match {
    case UnresolvedAttribute(Seq(name)) if isExpression(name) =>
      function.foreach { of =>
        throw new Arguments(of).error("MUNTIN_EXPRESSION_AS_COLUMN_NAME", "name" -> name)
      }
    case other => other.children.foreach(check(_, nameOf(other).orElse(function)))
  }

  private def nameOf(expression: Expression): Option[String] = expression match {
    // The call from Python and Scala, before its arguments are resolved.
    case call: UnresolvedFunction if call.nameParts.head.startsWith(prefix) =>
      Some(call.nameParts.head.stripPrefix(prefix))
    case ours if ours.getClass.getName.startsWith(room) => Some(ours.prettyName)
    case _ => None
  }

  private def isExpression(name: String): Boolean =
    try CatalystSqlParser.parseExpression(name) match {
        case _: UnresolvedAttribute | _: Alias | _: Star => false
        case _ => true
      }
    catch { case NonFatal(_) => false }
}
