package org.apache.spark.sql.muntin

import java.io.File

import org.apache.spark.SparkEnv
import org.apache.spark.memory.{MemoryConsumer, SparkOutOfMemoryError, TaskMemoryManager}
import org.apache.spark.sql.{SparkSession => AnySession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.python.{HybridRowQueue, QueueMode}
import org.apache.spark.unsafe.memory.MemoryBlock
import org.apache.spark.util.Utils

/** Every call to what Spark changes between its minor versions, as Spark 4.3 has it. */
object SparkShims {

  /** The minor version of Spark that this is for. */
  val minor: String = "4.3"

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

  /** The classes of all functions that a session knows. */
  def functionClasses(session: SparkSession): Iterator[String] = {
    val registry = session.sessionState.functionRegistry
    registry.listFunction().iterator.flatMap(registry.lookupFunction).map(_.getClassName)
  }

  /** The same for a table function. */
  def registerTableFunction(
      session: SparkSession,
      name: String,
      info: ExpressionInfo,
      build: Seq[Expression] => LogicalPlan
  ): Unit =
    session.sessionState.tableFunctionRegistry
      .registerFunction(FunctionRegistry.builtinFunctionIdentifier(name), info, build)

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
