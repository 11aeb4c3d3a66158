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
 * Before anything is resolved: which calls are calls of Muntin's functions. Spark knows the
 * function sliding by the one name `muntin.sliding`, which has a dot in it. A query may write
 *
 *   - `` `muntin.sliding`(…) ``, as Muntin's Python and Scala functions do;
 *   - `muntin.sliding(…)`, unless there is a schema muntin with a function sliding;
 *   - `sliding(…)`, unless the session, the catalog or Spark itself has a function sliding.
 *
 * So no function of a user's is ever hidden by one of Muntin's.
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

  /** The names in one plan. Each is looked up once, since a catalog may be far away. */
  private final class Names {
    private val known = mutable.HashMap.empty[Seq[String], Option[Seq[String]]]

    /** The name that Spark knows the function by, if `written` means one of Muntin's. */
    def ofMuntin(written: Seq[String]): Option[Seq[String]] =
      known.getOrElseUpdate(
        written,
        ResolveNames.meant(session, written).map(function => Seq(function.qualifiedName))
      )
  }
}

object ResolveNames {
  def apply(session: SparkSession): ResolveNames = new ResolveNames(session)

  private val functions: Map[String, SqlFunction] =
    (MuntinFunctions.all ++ MuntinFunctions.tables.map(_.function))
      .flatMap(f => Seq(f.name -> f, f.qualifiedName -> f))
      .toMap

  /** The function of Muntin's that a query of `session` means by `written`. */
  def meant(session: SparkSession, written: Seq[String]): Option[SqlFunction] =
    function(written).filter(_ => isOwn(written) || !LocalSession.findsFunction(session, written))

  /** The function of Muntin's whose name somebody has written, in one of the three forms. */
  private def function(written: Seq[String]): Option[SqlFunction] =
    if (written.size > 2) None else functions.get(written.mkString(".").toLowerCase(Locale.ROOT))

  /** Whether `written` is one name with a dot in it, which is Muntin's alone. */
  def isOwn(written: Seq[String]): Boolean =
    written.size == 1 && written.head.contains('.')

  /** The function of Muntin's that a call means, once this rule has seen the call. */
  def unapply(call: UnresolvedFunction): Option[SqlFunction] =
    if (isOwn(call.nameParts)) function(call.nameParts) else None
}
