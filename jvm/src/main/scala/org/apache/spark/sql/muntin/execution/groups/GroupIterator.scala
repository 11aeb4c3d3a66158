package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.rows.{
  GeneratedCode,
  KeyedRows,
  OperatorMetrics,
  ResultIterator,
  TaskMemory
}
import org.apache.spark.sql.muntin.execution.split.TaskRows
import io.muntin.kernel.fields.InvalidWindowRowException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.RowFormatter

/**
 * Streams the sorted rows of one task through the windows of their groups. The rows around a
 * chunk's own serve the windows that begin in the chunk: windows that begin before the chunk are
 * skipped, and windows that begin after it are not emitted.
 */
final class GroupIterator(
    ofTask: TaskRows,
    plan: GroupWindowPlan,
    allGroups: AllGroups,
    functions: Seq[AggregatePlan],
    keys: Seq[Attribute],
    layout: GroupLayout,
    childOutput: Seq[Attribute],
    metrics: OperatorMetrics,
    forceSpill: Boolean
) extends ResultIterator(metrics.outputRows, Some(metrics.duration)) {
  import ofTask.chunk

  private val function = plan.prettyName
  private val memory = TaskMemory.paged(context, forceSpill)(metrics.add)
  private val kernel =
    try {
      val code = new GeneratedCode(childOutput)
      new GroupKernel(plan, allGroups, functions, layout.ordinals, childOutput, memory, code)
    } catch {
      case e: InvalidWindowRowException =>
        throw RowFormatter(Nil).error(function, e, InternalRow.empty)
    }
  // The current row has not arrived at the kernel yet.
  private val rows = new KeyedRows(ofTask.sorted, keys, childOutput)
  private val key = UnsafeProjection.create(keys, childOutput)
  private val out = layout.rows()()
  // True if all rows of the kernel's group have arrived.
  private var ended = true
  private var inGroup = false
  private var group: UnsafeRow = _

  begin()

  override protected def findNext(): InternalRow = {
    while (!(inGroup && nextWindow())) {
      if (rows.row == null) return null
      if (ended) startGroup()
      arrive()
      rows.next()
      ended = if (rows.row == null) !hasMoreWindows else rows.isFirst
    }
    out.written
  }

  private def startGroup(): Unit = {
    group = key(rows.row).copy()
    out.start(group)
    kernel.startGroup()
    chunk.foreach(c => kernel.between(c.gridFrom(rows.row), c.gridUntil(rows.row)))
    ended = false
    inGroup = true
  }

  /** Reads the rows before a chunk's own, which belong to the group of its first row. */
  private def begin(): Unit = {
    rows.next()
    chunk.filter(c => rows.row != null && c.isBefore(0L)).foreach { c =>
      startGroup()
      while (rows.row != null && c.isBefore(rows.before)) {
        arrive()
        rows.next()
      }
      kernel.passOver()
      ended = rows.row == null
    }
  }

  /** Returns true, after the last row, if its group continues in another chunk. */
  private def hasMoreWindows: Boolean = chunk.exists(_.endsOthers(rows.before - 1L))

  private def nextWindow(): Boolean =
    try kernel.next(ended, out.window, out.results)
    catch {
      case e: InvalidWindowRowException => throw RowFormatter(keys).error(function, e, group)
    }

  private def arrive(): Unit =
    try kernel.arrive(rows.row)
    catch {
      case e: InvalidWindowRowException =>
        throw RowFormatter(childOutput).error(function, e, rows.row)
    }
}
