package org.apache.spark.sql.muntin.execution.panes

import org.apache.spark.sql.muntin.execution.rows.{OperatorMetrics, ResultIterator, TaskMemory}
import io.muntin.kernel.fields.InvalidWindowRowException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.RowFormatter
import org.apache.spark.sql.muntin.expressions.internal.Pane

/** Reads rows, and emits partials of panes, chunk by chunk. */
final class PaneIterator(
    input: Iterator[InternalRow],
    plan: PanePlan,
    childOutput: Seq[Attribute],
    metrics: OperatorMetrics
) extends ResultIterator(metrics.outputRows, Some(metrics.duration)) {
  private val memory = new TaskMemory(context.taskMemoryManager())
  private val kernel = new PaneKernel(plan, childOutput, memory)
  private val target = new SpecificInternalRow(plan.types)
  private val joined = new JoinedRow
  private val projection = {
    val keys = plan.keys
    val before = keys.zipWithIndex.map { case (k, i) => BoundReference(i, k.dataType, k.nullable) }
    // The pane follows the keys; no downstream operator reads it.
    val after = plan.types.zipWithIndex.map { case (t, i) =>
      BoundReference(keys.size + 1 + i, t, nullable = true)
    }
    UnsafeProjection.create(before ++ after)
  }

  context.addTaskCompletionListener[Unit](_ => close())

  override protected def findNext(): InternalRow = {
    if (!kernel.hasNext && input.hasNext) fill()
    if (kernel.hasNext) projection(joined(kernel.next(target), target)) else null
  }

  private def fill(): Unit = {
    var rows = 0
    kernel.startChunk()
    while (!kernel.isFull && input.hasNext) {
      if ((rows & 0x3ff) == 0) context.killTaskIfInterrupted()
      rows += 1
      arrive(input.next().asInstanceOf[UnsafeRow])
    }
    kernel.endChunk()
  }

  private def arrive(row: UnsafeRow): Unit =
    try kernel.arrive(row)
    catch {
      case e: InvalidWindowRowException => throw RowFormatter(childOutput).error(function, e, row)
    }

  private def function: String = plan.pane match {
    case p: Pane => p.function.name
    case other => other.prettyName
  }

  private def close(): Unit = {
    metrics.peakMemory.set(memory.peakBytes)
    memory.releaseAll()
  }
}
