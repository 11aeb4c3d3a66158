package org.apache.spark.sql.muntin

import java.io.File
import java.nio.file.{Files, Path}
import java.util.Properties

import scala.util.Random

import org.apache.spark.{SparkConf, SparkEnv, TaskContext, TaskContextImpl}
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.memory.{
  MemoryConsumer,
  MemoryMode,
  SparkOutOfMemoryError,
  TaskMemoryManager,
  UnifiedMemoryManager
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.anchored.AnchoredWindowsExec
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.spark.SpillBlock
import org.apache.spark.storage.TempLocalBlockId
import org.scalatest.Assertion

/** Tasks with a given amount of memory. */
trait SmallTask extends MuntinSession {

  /** Another consumer of a task's memory, which requests the available memory. */
  protected final class Greedy(manager: TaskMemoryManager)
      extends MemoryConsumer(manager, MemoryMode.ON_HEAP) {
    def take(bytes: Long): Long = acquireMemory(bytes)
    def giveBack(): Unit = freeMemory(getUsed)
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }

  /** The files of tasks, except shuffle files, which may belong to another suite. */
  protected final def taskFiles: Seq[File] =
    SparkEnv.get.blockManager.diskBlockManager.getAllFiles()
      .filterNot(_.getName.startsWith("shuffle_"))

  /** A file on a full disk; deletion removes the link, not the device. */
  protected final def fullDisk(directory: Path): () => SpillBlock = () => {
    val id = java.util.UUID.randomUUID
    val link = directory.resolve(id.toString)
    SpillBlock(
      TempLocalBlockId(id),
      Files.createSymbolicLink(link, Path.of("/dev/full")).toFile
    )
  }

  /**
   * Runs the only partition of `query`, without Spark's own sort or exchange beneath it, in a task
   * of `bytes`, or of an `operator` in it, in which `refuses` denies requests. Then ends the task
   * and returns the bytes that it had not released.
   */
  protected final def inTask(
      query: String,
      bytes: Long,
      refuses: () => Boolean = () => false,
      operator: DataFrame => SparkPlan = _.queryExecution.executedPlan
  )(body: (Iterator[InternalRow], TaskContextImpl) => Any): Long = {
    val conf = new SparkConf(false).set("spark.buffer.pageSize", "64k")
    val memory = new UnifiedMemoryManager(conf, bytes, 0L, 1)
    val manager = new TaskMemoryManager(memory, 0L) {
      override def acquireExecutionMemory(required: Long, consumer: MemoryConsumer): Long =
        if (refuses()) 0L else super.acquireExecutionMemory(required, consumer)
    }
    val context = new TaskContextImpl(
      0,
      0,
      0,
      0L,
      0,
      1,
      manager,
      new Properties,
      SparkEnv.get.metricsSystem,
      TaskMetrics.empty
    )
    val planned = spark.sql(query)
    assert(query.contains("intervals(") || muntinNodes(planned).nonEmpty || nodes(planned) {
      case g: GroupWindowsExec => g
      case a: AnchoredWindowsExec => a
    }.nonEmpty)
    val rdd = operator(planned).execute()
    assert(rdd.getNumPartitions === 1)
    TaskContext.setTaskContext(context)
    // Cached tables are read only by registered tasks.
    SparkEnv.get.blockManager.registerTask(context.taskAttemptId)
    var error: Option[Throwable] = None
    // Created in the body, so that an immediate rejection occurs there.
    lazy val made = rdd.iterator(rdd.partitions.head, context)
    val rows = new Iterator[InternalRow] {
      override def hasNext: Boolean = made.hasNext
      override def next(): InternalRow = made.next()
    }
    try body(rows, context)
    catch {
      case e: Throwable =>
        error = Some(e)
        context.markTaskFailed(e)
        throw e
    } finally {
      context.markTaskCompleted(error)
      TaskContext.unset()
      SparkEnv.get.blockManager.releaseAllLocksForTask(context.taskAttemptId): Unit
    }
    val held = memory.onHeapExecutionMemoryUsed
    assert(manager.cleanUpAllAllocatedMemory() === held)
    held
  }

  /**
   * Runs a query in tasks that deny one of n memory requests: `check` reads the rows, unless there
   * is an out-of-memory error, and some tasks must have no error.
   */
  protected final def refusedNowAndThen(
      query: String,
      often: Seq[Int],
      operator: DataFrame => SparkPlan = _.queryExecution.executedPlan
  )(check: Iterator[InternalRow] => Any): Assertion = {
    var right = 0
    for (seed <- 1 to 20) {
      val random = new Random(seed)
      val oneOf = often(seed % often.size)
      val held = inTask(query, 8L << 20, () => random.nextInt(oneOf) == 0, operator) { (rows, _) =>
        try {
          check(rows): Unit
          right += 1
        } catch { case _: SparkOutOfMemoryError => }
      }
      assert(held === 0L, s"seed $seed")
    }
    assert(right > 3)
  }
}
