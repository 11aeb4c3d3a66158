package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.Paging
import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** What an iterator of an operator reports. */
final case class OverMetrics(outputRows: SQLMetric, spillSize: SQLMetric, peakMemory: SQLMetric)

object OverMetrics {

  /** The metrics that an operator declares. */
  def declared(context: SparkContext): Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(context, "number of output rows"),
    "spillSize" -> SQLMetrics.createSizeMetric(context, "spill size"),
    "peakMemory" -> SQLMetrics.createSizeMetric(context, "peak memory")
  )

  def apply(metrics: Map[String, SQLMetric]): OverMetrics =
    OverMetrics(metrics("numOutputRows"), metrics("spillSize"), metrics("peakMemory"))
}

/**
 * Streams the sorted rows of one task through the kernels: a row goes out as soon as its frames are
 * complete. Rows whose frames look back only are never kept; others wait in a delay line.
 */
final class OverIterator(
    input: Iterator[InternalRow],
    plan: OverPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    metrics: OverMetrics,
    forceSpill: Boolean
) extends Iterator[InternalRow] {
  private val context = TaskContext.get()
  private val memory = new TaskMemory(context.taskMemoryManager())
  private val store = new SpillStore(context)
  private val paging =
    if (forceSpill) new Paging(store, rows = 8, least = 64, isForced = true) else new Paging(store)
  memory.takesFrom(paging)
  context.addTaskCompletionListener[Unit](_ => close())

  private val code = new GeneratedCode(childOutput)
  private val kernel =
    new OverKernel(plan, orderSpec, childOutput, memory, onStream = false, code, Some(paging))
  private val delay =
    if (kernel.isImmediate) null
    else new DelayLine(context.taskMemoryManager(), memory, childOutput.size, forceSpill)
  private val results = OverResults(plan, windowExpression, childOutput)
  private val partitions = new PartitionChanges(partitionSpec, childOutput)

  // The next row of the input, not yet given to the kernel; null when there is none.
  private var nextRow: UnsafeRow = _
  private var ended = true
  private var written = 0L

  fetch()

  override def hasNext: Boolean = nextRow != null || kernel.hasPending

  override def next(): InternalRow = {
    written += 1
    // The input may be read to its end by now, and nobody else would look.
    if ((written & 0x3ff) == 0) context.killTaskIfInterrupted()
    metrics.outputRows += 1
    if (delay == null) nextImmediate() else nextDelayed()
  }

  private def nextImmediate(): InternalRow = {
    if (nextRow == null) throw new NoSuchElementException
    if (partitions.isNew(nextRow)) kernel.startPartition()
    kernel.arrive(nextRow)
    kernel.isReady(ended = false)
    kernel.advance(results.target)
    val out = results.join(nextRow)
    // Only now: the input may reuse the row, which the result has copied.
    fetch()
    out
  }

  private def nextDelayed(): InternalRow = {
    while (!(kernel.hasPending && kernel.isReady(ended))) {
      if (ended) {
        if (nextRow == null) throw new NoSuchElementException
        partitions.isNew(nextRow): Unit
        kernel.startPartition()
        ended = false
      }
      kernel.arrive(nextRow)
      delay.add(nextRow)
      fetch()
      ended = nextRow == null || partitions.isNew(nextRow)
    }
    kernel.advance(results.target)
    results.join(delay.remove())
  }

  private def fetch(): Unit =
    nextRow = if (input.hasNext) input.next().asInstanceOf[UnsafeRow] else null

  private def close(): Unit = {
    metrics.peakMemory.set(memory.peakBytes + (if (delay == null) 0L else delay.peakBytes))
    metrics.spillSize += store.spilledBytes
    try store.close()
    finally {
      if (delay != null) {
        metrics.spillSize += delay.spilledBytes
        delay.close()
      }
      memory.releaseAll()
    }
  }
}
