package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_TABLE_VALUED_FUNCTION
import org.apache.spark.sql.muntin.expressions.{Arguments, WindowBy}

/**
 * Refuses calls of window_by that nothing has resolved: a table without TABLE(…), or an expression
 * that is no string. Spark would say that it finds no column with this name.
 */
object WindowByArguments extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsPattern(UNRESOLVED_TABLE_VALUED_FUNCTION)) plan.foreach {
      case call: UnresolvedTableValuedFunction if call.name == Seq(WindowBy.qualifiedName) =>
        call.functionArgs.zipWithIndex.foreach {
          case (NamedArgumentExpression(key, value), _) => check(key, value)
          case (value, i) => WindowByTable.parameters.lift(i).foreach(p => check(p.name, value))
        }
      case _ =>
    }
    plan
  }

  private def check(parameter: String, argument: Expression): Unit =
    if (argument.exists(_.isInstanceOf[UnresolvedAttribute])) {
      val expected =
        if (WindowByTable.tables.contains(parameter.toLowerCase(java.util.Locale.ROOT))) {
          s"a table: TABLE(${argument.sql})"
        } else s"a string: '${argument.sql}'"
      throw new Arguments(WindowBy.name)
        .invalid(
          parameter,
          s"${argument.sql}, which is no column of anything here; expected is $expected"
        )
    }
}
