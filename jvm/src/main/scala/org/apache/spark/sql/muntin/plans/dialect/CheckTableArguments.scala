package org.apache.spark.sql.muntin.plans.dialect

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_TABLE_VALUED_FUNCTION
import org.apache.spark.sql.muntin.expressions.common.Arguments

/**
 * Rejects unresolved calls of table functions: a table without TABLE(…), or an expression that is
 * not a string. Spark would report an unresolved column instead.
 */
object CheckTableArguments extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsPattern(UNRESOLVED_TABLE_VALUED_FUNCTION)) plan.foreach {
      case call: UnresolvedTableValuedFunction =>
        MuntinFunctions.tables.find(f => call.name == Seq(f.function.qualifiedName)).foreach(
          check(_, call.functionArgs)
        )
      case _ =>
    }
    plan
  }

  private def check(called: TableFunction, arguments: Seq[Expression]): Unit = {
    val parameters = called.function.definition.parameters.map(_.name)
    arguments.zipWithIndex.foreach {
      case (NamedArgumentExpression(key, value), _) => check(called, key, value)
      case (value, i) => parameters.lift(i).foreach(check(called, _, value))
    }
  }

  private def check(called: TableFunction, parameter: String, argument: Expression): Unit =
    if (argument.exists(_.isInstanceOf[UnresolvedAttribute])) {
      val isTable = called.tables.contains(parameter.toLowerCase(Locale.ROOT))
      throw new Arguments(called.function.name).error(
        "MUNTIN_COLUMN_AS_TABLE_ARGUMENT",
        "parameter" -> parameter,
        "argument" -> argument.sql,
        "expected" -> (if (isTable) s"TABLE(${argument.sql})" else s"'${argument.sql}'")
      )
    }
}
