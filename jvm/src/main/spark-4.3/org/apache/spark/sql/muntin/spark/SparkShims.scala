package org.apache.spark.sql.muntin.spark

import java.io.File

import org.apache.spark.SparkEnv
import org.apache.spark.memory.{MemoryConsumer, SparkOutOfMemoryError, TaskMemoryManager}
import org.apache.spark.sql.{AnalysisException, SparkSession => AnySession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, FunctionResolution, FunctionType}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.python.{HybridRowQueue, QueueMode}
import org.apache.spark.unsafe.memory.MemoryBlock
import org.apache.spark.util.Utils

/** Every call to what Spark changes between its minor versions, as Spark 4.3 has it. */
object SparkShims {

  /** What Spark hands to the builders of rules is declared wider than what it is. */
  def classicSession(session: AnySession): SparkSession = session.asInstanceOf[SparkSession]

  def extensions(session: SparkSession): SparkSessionExtensions = session.extensions

  /** A session of its own with the same settings, views and functions, and with rules made anew. */
  def cloneSession(session: SparkSession): SparkSession = session.cloneSession()

  /** Adds a function to those that `session` finds without a CREATE FUNCTION. */
  def registerFunction(
      session: SparkSession,
      name: String,
      info: ExpressionInfo,
      build: Seq[Expression] => Expression
  ): Unit =
    session.sessionState.functionRegistry
      .registerFunction(FunctionRegistry.builtinFunctionIdentifier(name), info, build)

  /** Whether the function is one of those that `session` finds without a CREATE FUNCTION. */
  def hasFunction(session: SparkSession, name: String): Boolean =
    session.sessionState.functionRegistry
      .functionExists(FunctionRegistry.builtinFunctionIdentifier(name))

  /** The same for a table function. */
  def registerTableFunction(
      session: SparkSession,
      name: String,
      info: ExpressionInfo,
      build: Seq[Expression] => LogicalPlan
  ): Unit =
    session.sessionState.tableFunctionRegistry
      .registerFunction(FunctionRegistry.builtinFunctionIdentifier(name), info, build)

  /**
   * Whether a query of `session` that writes `nameParts` calls a function of Spark's, the session's
   * or a catalog's, of rows or of tables. A catalog that has no functions has none of that name.
   */
  def functionExists(session: AnySession, nameParts: Seq[String]): Boolean = {
    val analyzer = classicSession(session).sessionState.analyzer
    val functions = new FunctionResolution(analyzer.catalogManager, analyzer.getRelationResolution)
    try functions.lookupFunctionType(nameParts) != FunctionType.NotFound
    catch {
      case e: AnalysisException if hasNoFunctions(e.getCondition) => false
    }
  }

  private def hasNoFunctions(condition: String): Boolean =
    Option(condition).exists { c =>
      c == "FORBIDDEN_OPERATION" || c == "REQUIRES_SINGLE_PART_NAMESPACE" ||
      c == "SCHEMA_NOT_FOUND" || c.startsWith("UNSUPPORTED_FEATURE") ||
      c.startsWith("MISSING_CATALOG_ABILITY")
    }

  def outOfMemory(requested: Long, granted: Long): OutOfMemoryError =
    new SparkOutOfMemoryError(
      "UNABLE_TO_ACQUIRE_MEMORY",
      java.util.Map.of("requestedBytes", requested.toString, "receivedBytes", granted.toString)
    )

  /** The same, and what can be done; Spark's own error has no room for that but as its cause. */
  def outOfMemory(requested: Long, granted: Long, advice: String): OutOfMemoryError = {
    val error = outOfMemory(requested, granted)
    error.initCause(new IllegalStateException(advice)): Unit
    error
  }

  /**
   * A queue of rows that goes to disk under pressure, or always (`forceSpill`); `onSpill` hears how
   * many bytes go.
   */
  def rowQueue(
      manager: TaskMemoryManager,
      fields: Int,
      forceSpill: Boolean,
      onSpill: Long => Unit
  ): HybridRowQueue =
    new HybridRowQueue(
      manager,
      new File(Utils.getLocalDir(SparkEnv.get.conf)),
      fields,
      SparkEnv.get.serializerManager,
      true
    ) {
      override protected def allocatePage(required: Long): MemoryBlock =
        if (forceSpill) throw outOfMemory(required, 0L) else super.allocatePage(required)

      // Where the queue itself wants memory that is not there, rows go straight to disk.
      override def add(row: UnsafeRow): QueueMode.Value = {
        val mode = super.add(row)
        if (mode == QueueMode.DISK) onSpill(row.getSizeInBytes.toLong)
        mode
      }

      override def spill(size: Long, trigger: MemoryConsumer): Long = {
        val freed = super.spill(size, trigger)
        onSpill(freed)
        freed
      }
    }
}
