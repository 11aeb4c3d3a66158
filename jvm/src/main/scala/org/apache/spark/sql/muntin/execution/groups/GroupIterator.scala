package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.over.OverMetrics
import org.apache.spark.sql.muntin.execution.rows.{PartitionChanges, TaskMemory}
import org.apache.spark.sql.muntin.execution.split.TaskRows
import io.muntin.kernel.fields.UnfitRow
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.{InvalidRow, ShownRow}

/**
 * Streams the sorted rows of one task through the windows of their groups. The rows around a
 * chunk's own are there for windows that begin in the chunk: windows that begin before it are
 * passed over, and windows that begin behind it do not come out.
 */
final class GroupIterator(
    function: String,
    ofTask: TaskRows,
    plan: GroupPlan,
    functions: Seq[AggregatePlan],
    keys: Seq[Attribute],
    layout: GroupLayout,
    childOutput: Seq[Attribute],
    metrics: OverMetrics,
    forceSpill: Boolean
) extends Iterator[InternalRow] {
  import ofTask.{chunk, sorted => input}

  private val context = TaskContext.get()
  private val memory = TaskMemory.paged(context, forceSpill)(metrics.add)
  private val kernel =
    try new GroupKernel(plan, functions, layout.ordinals, childOutput, memory)
    catch { case e: UnfitRow => throw InvalidRow(function, e, InternalRow.empty, ShownRow(Nil)) }
  private val groups = new PartitionChanges(keys, childOutput)
  private val key = UnsafeProjection.create(keys, childOutput)
  private val row = layout.rows()()

  // The next row of the input, which has not arrived at the kernel yet; null where there is none.
  private var nextRow: UnsafeRow = _
  private var ended = true
  private var inGroup = false
  private var group: UnsafeRow = _
  private var read = 0L
  private var written = 0L
  private var found = false

  begin()

  override def hasNext: Boolean = {
    if (!found) found = seek()
    found
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    found = false
    written += 1
    // Few rows may have many windows.
    if ((written & 0x3ff) == 0) context.killTaskIfInterrupted()
    metrics.outputRows += 1
    row.written
  }

  private def seek(): Boolean = {
    while (!(inGroup && nextWindow())) {
      if (nextRow == null) return false
      if (ended) startGroup()
      arrive()
      fetch()
      ended = if (nextRow == null) !goesOn else groups.isNew(nextRow)
    }
    true
  }

  private def startGroup(): Unit = {
    group = key(nextRow).copy()
    row.start(group)
    kernel.startGroup()
    chunk.foreach(c => kernel.between(c.gridFrom(nextRow), c.gridUntil(nextRow)))
    ended = false
    inGroup = true
    groups.isNew(nextRow): Unit
  }

  /** Takes in the rows before a chunk's own, which belong to the group of its first row. */
  private def begin(): Unit = {
    fetch()
    chunk.filter(c => nextRow != null && c.isBefore(0L)).foreach { c =>
      startGroup()
      while (nextRow != null && c.isBefore(read - 1L)) {
        arrive()
        fetch()
      }
      kernel.passOver()
      ended = nextRow == null
    }
  }

  /** After the last row: whether its group goes on in another chunk. */
  private def goesOn: Boolean = chunk.exists(_.endsOthers(read - 2L))

  private def nextWindow(): Boolean =
    try kernel.next(ended, row.window, row.results)
    catch { case e: UnfitRow => throw InvalidRow(function, e, group, ShownRow(keys)) }

  private def arrive(): Unit =
    try kernel.arrive(nextRow)
    catch { case e: UnfitRow => throw InvalidRow(function, e, nextRow, ShownRow(childOutput)) }

  private def fetch(): Unit = {
    read += 1
    // One window may take all of a long input, and nothing else would check for a kill.
    if ((read & 0x3ff) == 0) context.killTaskIfInterrupted()
    nextRow = if (input.hasNext) input.next().asInstanceOf[UnsafeRow] else null
  }
}
