package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.rows.{
  GeneratedCode,
  KeyedRows,
  OperatorMetrics,
  PeekableRows,
  ResultIterator,
  TaskMemory
}
import org.apache.spark.sql.muntin.execution.split.TaskRows

/**
 * Streams the sorted rows of one task through the kernel, and emits a row as soon as its frames are
 * ready. If all frames only look back, no row is buffered; else rows wait in a delay line. If all
 * frames end with the peers of their row at the latest, the last of its peers need not wait: the
 * next row shows that all peers have arrived. Only a chunk's own rows are emitted: rows of the halo
 * arrive at the kernel, and their results are skipped.
 *
 * The next row can be peeked at if no row waits: it has its columns, and no results yet.
 *
 * @param reserved
 *   how many fields are reserved in the rows to have the results appended; None if rows are
 *   copied
 */
final class OverIterator(
    ofTask: TaskRows,
    plan: OverPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    inputColumns: Int,
    reserved: Option[Int],
    metrics: OperatorMetrics,
    forceSpill: Boolean
) extends ResultIterator(metrics.outputRows, Some(metrics.duration))
    with PeekableRows {
  import ofTask.chunk

  private val memory = TaskMemory.paged(context, forceSpill)(metrics.add)

  private val code = new GeneratedCode(childOutput)
  private var kernel = newKernel()
  // The kernel of the chunk's last partition, if it has received the rows after the chunk.
  private var last: OverKernel = _
  takeInRowsAround()
  private val results = OverResults(plan, windowExpression, childOutput, inputColumns, reserved)
  // The current row has not arrived at the kernel yet.
  private val rows = new KeyedRows(ofTask.sorted, partitionSpec, childOutput)
  private var isBegun = false
  private var delay: DelayLine = _
  private val endsWithPeers = plan.endsWithPeers
  // True if the current row must be emitted.
  private var isOwn = false
  // True if the current row has been emitted. It stays valid until the next row is fetched.
  private var isOut = false
  // True if all rows of the kernel's partition have arrived.
  private var ended = true
  // The number of rows in the delay line.
  private var waiting = 0L
  // True if all rows in the frames of the arrived rows have arrived.
  private var isComplete = false

  override def peek: UnsafeRow =
    if (isOut && waiting == 0L && chunk.isEmpty) rows.peek else null

  override protected def findNext(): InternalRow = {
    if (!isBegun) begin()
    if (delay == null) immediate() else delayed()
  }

  private def immediate(): InternalRow = {
    if (isOut) fetch()
    isOut = isOwn
    if (!isOwn) null
    else {
      if (rows.isFirst) startPartition()
      kernel.arrive(rows.row)
      kernel.isReady(ended = false)
      kernel.advance(results.target)
      results.join(rows.row)
    }
  }

  private def delayed(): InternalRow = {
    if (isOut) moveOn()
    if (!isOwn && waiting == 0L) null
    else {
      while (!(kernel.hasPending && kernel.isReady(ended || isComplete))) {
        if (ended) {
          startPartition()
          ended = false
        }
        kernel.arrive(rows.row)
        isComplete = endsWithPeers && rows.peek != null && kernel.isLastPeer(rows.peek)
        isOut = isOwn && isComplete && waiting == 0L
        if (!isOut) {
          if (isOwn) {
            delay.add(rows.row)
            waiting += 1L
          }
          moveOn()
        }
      }
      kernel.advance(results.target)
      if (isOut) results.join(rows.row)
      else {
        waiting -= 1L
        results.join(delay.remove())
      }
    }
  }

  private def moveOn(): Unit = {
    fetch()
    isOut = false
    ended = !rows.inGroup
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

  /** Starts the partition of the next row, which has no rows before the chunk. */
  private def startPartition(): Unit =
    if (last != null && chunk.exists(_.endsIn(rows.row))) {
      kernel.close()
      kernel = last
      last = null
      kernel.arriveInside(0L, _ => 0L)
    } else kernel.startPartition()

  private def fetch(): Unit = {
    rows.next()
    isOwn = rows.row != null && chunk.forall(_.owns(rows.before))
  }

  /**
   * Adds the rows around a chunk's own, which arrive when the task's rows are opened. Rows before
   * the chunk belong to the partition of its first row, rows after it to the partition of its last
   * row. Unless both are one partition, the last partition has a separate kernel.
   */
  private def takeInRowsAround(): Unit = chunk.foreach { c =>
    kernel.startPartition()
    c.sendEarlierRows(kernel.precede)
    c.sendLaterRows(if (c.isOfOnePartition) kernel.follow else followLast)
  }

  private def begin(): Unit = {
    isBegun = true
    if (!plan.isImmediate) {
      delay = new DelayLine(context.taskMemoryManager(), memory, results.fieldsOfRows, forceSpill)
      context.addTaskCompletionListener[Unit](_ => close())
    }
    fetch()
    chunk.filter(c => rows.row != null && (kernel.arrived > 0L || c.isBefore(0L))).foreach { c =>
      rows.continueGroup()
      if (kernel.arrived > 0L) kernel.arriveInside(c.position, c.counted _)
      else kernel.startInside(c.position, c.counted _)
      var next = kernel.arrived
      while (rows.row != null && c.isBefore(rows.before)) {
        kernel.arrive(rows.row)
        next += 1
        fetch()
      }
      kernel.skipTo(next)
      ended = rows.row == null
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
