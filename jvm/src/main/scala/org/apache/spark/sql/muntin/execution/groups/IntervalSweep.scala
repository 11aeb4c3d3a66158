package org.apache.spark.sql.muntin.execution.groups

import java.util

import scala.collection.mutable

import org.apache.spark.sql.muntin.aggregates.AggregateInputs
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.rows.{GeneratedCode, TaskMemory}
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.memory.Memory
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.expressions.Validity
import org.apache.spark.sql.muntin.expressions.common.{Aggregated, RowFormatter}

/**
 * Computes the windows of `validity` over rows that are all available at once: it sorts the rows
 * and passes them to the kernel of the operator.
 *
 * The expression that holds a sweep may outlive a task: on a stream a group's kernel stays in
 * memory. So each task has its own kernel, whose memory and pages on disk are freed when the task
 * ends.
 *
 * @param inputs
 *   the kept columns of each row: its start and end, and the inputs of the aggregate
 * @param attributes
 *   the fields of `inputs`; `aggregated` and `validity` read them
 */
private[muntin] final class IntervalSweep private (
    val inputs: Seq[Expression],
    attributes: Seq[Attribute],
    aggregated: Aggregated,
    validity: Validity
) {
  private val function = WindowFunctions.plan(aggregated).getOrElse(
    throw new IllegalStateException(s"${aggregated.sql} is not run")
  )
  private val plan = ValidityPlan(validity)
  private val types = validity.dataType.map(_.dataType) :+ aggregated.function.dataType
  private var run: IntervalSweep.Run = _
  private val target = new SpecificInternalRow(types)
  private val element = UnsafeProjection.create(types.toArray)
  private val shown = RowFormatter(attributes)
  private val order = RowOrdering.create(validity.order, attributes)

  /** Returns the windows of one group, each with its start, end and value. */
  def apply(group: IntervalRows): ArrayData = {
    val rows = group.rows(attributes.size)
    // Stable: rows with the same start keep their order of arrival.
    util.Arrays.sort[UnsafeRow](rows, order)
    val found = mutable.ArrayBuffer.empty[Any]
    val kernel = kernelOfTask()
    def take(ended: Boolean): Unit =
      while (kernel.next(ended, target, target)) found += element(target).copy()
    kernel.startGroup()
    rows.foreach { row =>
      arrive(kernel, row)
      take(ended = false)
    }
    if (rows.nonEmpty) take(ended = true)
    new GenericArrayData(found)
  }

  private def kernelOfTask(): GroupKernel = {
    val task = TaskContext.get()
    if (run == null || (run.task ne task)) {
      val memory = IntervalSweep.memory(task)
      val code = new GeneratedCode(attributes)
      val kernel =
        new GroupKernel(plan, AllGroups(), Seq(function), Seq(2), attributes, memory, code)
      val made = new IntervalSweep.Run(task, kernel)
      run = made
      if (task != null) {
        task.addTaskCompletionListener[Unit](_ => if (run eq made) run = null): Unit
      }
    }
    run.kernel
  }

  private def arrive(kernel: GroupKernel, row: UnsafeRow): Unit =
    try kernel.arrive(row)
    catch { case e: InvalidWindowRowException => throw shown.error(Intervals.name, e, row) }
}

private[muntin] object IntervalSweep {
  def apply(aggregated: Aggregated, validity: Validity): IntervalSweep = {
    val ofFunction = AggregateInputs.of(aggregated.function)
    val (function, fields) = AggregateInputs.replaced(aggregated.function, ofFunction)
    def field(expression: Expression, name: String): Attribute =
      AttributeReference(name, expression.dataType, expression.nullable)()
    val times = Seq(field(validity.start, "start"), field(validity.end, "end"))
    val filter = aggregated.filter.map(field(_, "filter"))
    new IntervalSweep(
      validity.children ++ ofFunction ++ aggregated.filter,
      times ++ fields ++ filter,
      aggregated.copy(function = function, filter = filter),
      validity.withNewChildren(times).asInstanceOf[Validity]
    )
  }

  /** The kernel of a task; `task` is null on the driver. */
  private final class Run(val task: TaskContext, val kernel: GroupKernel)

  private def memory(task: TaskContext): Memory = if (task == null) Memory.Unlimited
  else {
    TaskMemory.paged(task, SQLConf.get.getConf(MuntinConf.OverForceSpill))((_, _) => ())
  }
}
