package org.apache.spark.sql.muntin.plans.dialect

import java.util.Locale

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedFunction,
  UnresolvedFunctionName,
  UnresolvedTableValuedFunction
}
import org.apache.spark.sql.catalyst.plans.logical.{DescribeFunction, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{
  UNRESOLVED_FUNC,
  UNRESOLVED_FUNCTION,
  UNRESOLVED_TABLE_VALUED_FUNCTION
}
import org.apache.spark.sql.muntin.expressions.common.SqlFunction
import org.apache.spark.sql.muntin.spark.LocalSession

/**
 * Before analysis, finds the calls of Muntin functions. In Spark's registry, the function sliding
 * has the single name `muntin.sliding`, which contains a dot. A query may write
 *
 *   - `` `muntin.sliding`(…) ``, as Muntin's Python and Scala functions do;
 *   - `muntin.sliding(…)`, unless there is a schema muntin with a function sliding;
 *   - `sliding(…)`, unless the session, the catalog or Spark itself has a function sliding.
 *
 * So a Muntin function never hides a user's function.
 */
final class ResolveNames(session: SparkSession) extends Rule[LogicalPlan] {
  private val patterns = Seq(UNRESOLVED_FUNCTION, UNRESOLVED_FUNC, UNRESOLVED_TABLE_VALUED_FUNCTION)

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsAnyPattern(patterns: _*)) plan
    else {
      val names = new Names
      plan.resolveOperatorsWithPruning(_.containsAnyPattern(patterns: _*)) {
        case call: UnresolvedTableValuedFunction =>
          names.ofMuntin(call.name).fold(call)(name => call.copy(name = name))
        case describe @ DescribeFunction(function: UnresolvedFunctionName, _) =>
          names.ofMuntin(function.multipartIdentifier).fold(describe) { name =>
            describe.copy(child = function.copy(multipartIdentifier = name))
          }
        case node =>
          node.transformExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
            case call: UnresolvedFunction =>
              names.ofMuntin(call.nameParts).fold(call)(name => call.copy(nameParts = name))
          }
      }
    }

  /** Caches the names in one plan, because a catalog lookup may be slow. */
  private final class Names {
    private val known = mutable.HashMap.empty[Seq[String], Option[Seq[String]]]

    /** Returns the function's name in Spark's registry, if `written` means a Muntin function. */
    def ofMuntin(written: Seq[String]): Option[Seq[String]] =
      known.getOrElseUpdate(
        written,
        ResolveNames.resolveName(session, written).map(function => Seq(function.qualifiedName))
      )
  }
}

object ResolveNames {
  def apply(session: SparkSession): ResolveNames = new ResolveNames(session)

  private val functions: Map[String, SqlFunction] =
    (MuntinFunctions.all ++ MuntinFunctions.tables.map(_.function))
      .flatMap(f => Seq(f.name -> f, f.qualifiedName -> f))
      .toMap

  /** Returns the Muntin function that `written` means in a query of `session`, if any. */
  def resolveName(session: SparkSession, written: Seq[String]): Option[SqlFunction] =
    function(written).filter(_ => isOwn(written) || !LocalSession.findsFunction(session, written))

  /** Returns the Muntin function with this name, in one of the three forms. */
  private def function(written: Seq[String]): Option[SqlFunction] =
    if (written.size > 2) None else functions.get(written.mkString(".").toLowerCase(Locale.ROOT))

  /** Returns true if `written` is a single name with a dot in it, which only Muntin uses. */
  def isOwn(written: Seq[String]): Boolean =
    written.size == 1 && written.head.contains('.')

  /** Extracts the Muntin function that a call means, after this rule has seen the call. */
  def unapply(call: UnresolvedFunction): Option[SqlFunction] =
    if (isOwn(call.nameParts)) function(call.nameParts) else None
}
