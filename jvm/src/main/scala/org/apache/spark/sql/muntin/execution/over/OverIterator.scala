package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.rows.{GeneratedCode, PartitionChanges, TaskMemory}
import org.apache.spark.sql.muntin.execution.split.TaskRows
import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** What an operator shows of its tasks in Spark's UI. */
final case class OverMetrics(outputRows: SQLMetric, spillSize: SQLMetric, peakMemory: SQLMetric) {

  /** Adds what a task's memory has come to since the last call. */
  def add(peakBytes: Long, spilledBytes: Long): Unit = {
    peakMemory += peakBytes
    spillSize += spilledBytes
  }
}

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
 * Streams the sorted rows of one task through the kernel: a row goes out as soon as its frames are
 * ready. Where all frames only look back, no row is kept; else rows wait in a delay line. Of a
 * chunk only its own rows go out: rows of the halo arrive at the kernel, and their results are
 * passed over.
 */
final class OverIterator(
    rows: TaskRows,
    plan: OverPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    metrics: OverMetrics,
    forceSpill: Boolean
) extends Iterator[InternalRow] {
  import rows.{chunk, sorted => input}

  private val context = TaskContext.get()
  private val memory = TaskMemory.paged(context, forceSpill)(metrics.add)

  private val code = new GeneratedCode(childOutput)
  private var kernel = newKernel()
  // The kernel of the chunk's last partition, which the rows behind the chunk have passed by.
  private var last: OverKernel = _
  private val delay =
    if (plan.isImmediate) null
    else new DelayLine(context.taskMemoryManager(), memory, childOutput.size, forceSpill)
  if (delay != null) context.addTaskCompletionListener[Unit](_ => close())
  private val results = OverResults(plan, windowExpression, childOutput)
  private val partitions = new PartitionChanges(partitionSpec, childOutput)

  // The next row of the input, which has not arrived at the kernel yet; null where there is none.
  private var nextRow: UnsafeRow = _
  // Whether the next row goes out.
  private var nextIsOwn = false
  // How many rows have been read, the next row included.
  private var fetched = 0L
  private var ended = true
  private var arrived = 0L
  private var written = 0L

  begin()

  override def hasNext: Boolean = nextIsOwn || written < arrived

  override def next(): InternalRow = {
    written += 1
    // The input may have ended by now, and with it its own checks for a kill.
    if ((written & 0x3ff) == 0) context.killTaskIfInterrupted()
    metrics.outputRows += 1
    if (delay == null) nextImmediate() else nextDelayed()
  }

  private def nextImmediate(): InternalRow = {
    if (!nextIsOwn) throw new NoSuchElementException
    if (partitions.isNew(nextRow)) startPartition()
    kernel.arrive(nextRow)
    arrived += 1
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
        if (!nextIsOwn) throw new NoSuchElementException
        partitions.isNew(nextRow): Unit
        startPartition()
        ended = false
      }
      kernel.arrive(nextRow)
      if (nextIsOwn) {
        delay.add(nextRow)
        arrived += 1
      }
      fetch()
      ended = nextRow == null || partitions.isNew(nextRow)
    }
    kernel.advance(results.target)
    results.join(delay.remove())
  }

  private def newKernel(): OverKernel = new OverKernel(
    plan,
    orderSpec,
    childOutput,
    memory,
    onStream = false,
    code,
    isSplit = chunk.isDefined
  )

  /** Begins with the partition of the next row, none of whose rows is before the chunk. */
  private def startPartition(): Unit =
    if (last != null && chunk.exists(_.endsIn(nextRow))) {
      kernel.close()
      kernel = last
      last = null
      kernel.arriveInside(0L, _ => 0L)
    } else kernel.startPartition()

  private def fetch(): Unit = {
    nextRow = if (input.hasNext) input.next().asInstanceOf[UnsafeRow] else null
    nextIsOwn = nextRow != null && (chunk.isEmpty || chunk.get.owns(fetched))
    fetched += 1
  }

  /**
   * Takes in the rows around a chunk's own. Rows before the chunk belong to the partition of its
   * first row, rows behind it to the partition of its last row; unless both are one partition, the
   * last partition has a kernel of its own.
   */
  private def begin(): Unit = {
    chunk.foreach { c =>
      kernel.startPartition()
      c.giveEarlier(kernel.precede)
      c.giveLater(if (c.isOfOnePartition) kernel.follow else followLast)
    }
    fetch()
    chunk.filter(c => nextRow != null && (kernel.arrived > 0L || c.isBefore(0L))).foreach { c =>
      partitions.isNew(nextRow): Unit
      if (kernel.arrived > 0L) kernel.arriveInside(c.position, c.counted _)
      else kernel.startInside(c.position, c.counted _)
      var next = kernel.arrived
      while (nextRow != null && c.isBefore(fetched - 1L)) {
        kernel.arrive(nextRow)
        next += 1
        fetch()
      }
      kernel.skipTo(next)
      ended = nextRow == null
    }
  }

  private def followLast(row: UnsafeRow): Unit = {
    if (last == null) {
      last = newKernel()
      last.startPartition()
    }
    last.follow(row)
  }

  private def close(): Unit = {
    metrics.add(delay.peakBytes, delay.spilledBytes)
    delay.close()
  }
}
