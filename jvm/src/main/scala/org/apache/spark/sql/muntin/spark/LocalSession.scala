package org.apache.spark.sql.muntin.spark

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{AnalysisException, SparkSession => AnySession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

/**
 * The parts of a session in this JVM that a remote session's client does not have. Spark passes
 * sessions to rule builders as the common type; they are always sessions in this JVM.
 */
object LocalSession {
  def is(session: AnySession): Boolean = session.isInstanceOf[SparkSession]

  def conf(session: AnySession): SQLConf = local(session).sessionState.conf

  def parser(session: AnySession): ParserInterface = local(session).sessionState.sqlParser

  def extensions(session: AnySession): SparkSessionExtensions = local(session).extensions

  /** Returns the configuration of file systems. */
  def files(session: AnySession): Configuration = local(session).sessionState.newHadoopConf()

  /** Returns a separate session with the same settings, views and functions, and with new rules. */
  def copy(session: AnySession): AnySession = local(session).cloneSession()

  /** Registers a function that `session` finds without a CREATE FUNCTION. */
  def registerFunction(
      session: AnySession,
      name: String,
      info: ExpressionInfo,
      build: Seq[Expression] => Expression
  ): Unit = register(local(session).sessionState.functionRegistry, name, info, build)

  /** Registers a table function that `session` finds without a CREATE FUNCTION. */
  def registerTableFunction(
      session: AnySession,
      name: String,
      info: ExpressionInfo,
      build: Seq[Expression] => LogicalPlan
  ): Unit = register(local(session).sessionState.tableFunctionRegistry, name, info, build)

  private def register[T](
      registry: FunctionRegistryBase[T],
      name: String,
      info: ExpressionInfo,
      build: Seq[Expression] => T
  ): Unit =
    registry.registerFunction(FunctionNames.builtin(name), info, build)

  /** Returns true if `session` finds the function without a CREATE FUNCTION. */
  def hasFunction(session: AnySession, name: String): Boolean =
    local(session).sessionState.functionRegistry
      .functionExists(FunctionNames.builtin(name))

  /**
   * Returns true if `nameParts` in a query of `session` is a function of Spark, the session or a
   * catalog, over rows or tables. Some catalogs do not have functions.
   */
  def findsFunction(session: AnySession, nameParts: Seq[String]): Boolean =
    try FunctionNames.finds(local(session).sessionState.analyzer, nameParts)
    catch {
      case e: AnalysisException if ConditionReader.conditionOf(e).exists(hasNoFunctions) => false
    }

  private def hasNoFunctions(condition: String): Boolean =
    condition == "FORBIDDEN_OPERATION" || condition == "REQUIRES_SINGLE_PART_NAMESPACE" ||
      condition == "SCHEMA_NOT_FOUND" || condition.startsWith("UNSUPPORTED_FEATURE") ||
      condition.startsWith("MISSING_CATALOG_ABILITY")

  /** Throws the AnalysisException of a resolved plan that is not a query. */
  def check(session: AnySession, plan: LogicalPlan): Unit =
    local(session).sessionState.analyzer.checkAnalysis(plan)

  /** Returns the plan after the session's analyzer. */
  def analyzed(session: AnySession, plan: LogicalPlan): LogicalPlan =
    local(session).sessionState.analyzer.execute(plan)

  private[spark] def local(session: AnySession): SparkSession = session.asInstanceOf[SparkSession]
}
