package org.apache.spark.sql.muntin.execution.python

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  Distribution,
  Partitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.rows.KeyClustering
import org.apache.spark.sql.muntin.spark.{PythonOperator, PythonRows, RowQueue}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Appends the `results` of Python aggregates, over windows that the child has computed, to the
 * child's rows (`emittedColumns` of their columns). Each row is sent to a Python worker once, for
 * all of its windows. Until its results arrive, it is buffered in a queue, in memory or on disk.
 *
 * If windows are given by their ends, `start` is 1 in the first row of each partition. Then
 * `partitionSpec` and `orderSpec` require that the rows of a partition are in one task, and in
 * order.
 */
case class PythonWindowsExec(
    calls: Seq[PythonCall],
    results: Seq[Attribute],
    emittedColumns: Seq[Attribute],
    start: Option[Expression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan
) extends PythonOperator {
  override def nodeName: String = "MuntinPythonWindows"

  override protected def stringArgs: Iterator[Any] = Iterator(
    calls.zip(results).map { case (call, result) => s"$call AS $result" },
    partitionSpec,
    orderSpec
  )

  override def output: Seq[Attribute] = emittedColumns ++ results

  override def producedAttributes: AttributeSet = AttributeSet(results)

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    (if (start.isEmpty) UnspecifiedDistribution else KeyClustering(partitionSpec)) :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(
      if (start.isEmpty) Nil
      else partitionSpec.map(SortOrder(_, Ascending)) ++ orderSpec
    )

  override protected def doExecute(): RDD[InternalRow] = {
    val plan = new PythonPlan(calls, start, conf.sessionLocalTimeZone)
    val schema = StructType(plan.columns.zipWithIndex.map { case (e, i) =>
      StructField(s"_$i", e.dataType, e.nullable)
    })
    val named = results.zipWithIndex.map { case (r, i) => r.withName(s"r$i") }
    val most = if (conf.arrowMaxRecordsPerBatch > 0) conf.arrowMaxRecordsPerBatch else Int.MaxValue
    val batchRows = math.min(
      most,
      // Few windows in lists are many rows.
      if (calls.head.lists.isDefined) PythonWindowsExec.ListsInBatch
      else PythonWindowsExec.RowsInBatch
    )
    val python = PythonRows(
      calls.head.code.withCommand(WorkerCommand(calls.map(_.code.command), plan.text)),
      schema,
      named,
      batchRows,
      conf,
      pythonMetrics
    )
    val (sent, input, waiting, all) = (plan.columns, child.output, emittedColumns, output)
    child.execute().mapPartitionsInternal { rows =>
      if (!rows.hasNext) Iterator.empty
      else {
        val context = TaskContext.get()
        val queue =
          new RowQueue(context.taskMemoryManager(), waiting.size, forceSpill = false, _ => ())
        context.addTaskCompletionListener[Unit](_ => queue.close())
        val keep = UnsafeProjection.create(waiting, input)
        val send = UnsafeProjection.create(sent, input)
        val joined = new JoinedRow
        val join = UnsafeProjection.create(all, waiting ++ named)
        val sending = rows.map { row =>
          queue.add(keep(row))
          send(row)
        }
        python(sending).map(result => join(joined(queue.remove(), result)))
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): PythonWindowsExec =
    copy(child = newChild)
}

object PythonWindowsExec {
  private val RowsInBatch = 16384
  private val ListsInBatch = 256

  /** The rows of `child` with the results: one node for all calls that one worker can run. */
  def nodesOver(
      calls: Seq[PythonCall],
      results: Seq[Attribute],
      emittedColumns: Seq[Attribute],
      start: Option[Expression],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      child: SparkPlan
  ): SparkPlan = {
    val groups = compatibleCalls(calls.zip(results))
    val last = groups.size - 1
    groups.zipWithIndex.foldLeft(child) { case (below, (group, i)) =>
      val passed =
        if (i < last) below.output
        else emittedColumns ++ groups.take(i).flatMap(_.map(_._2))
      PythonWindowsExec(
        group.map(_._1),
        group.map(_._2),
        passed,
        start,
        partitionSpec,
        orderSpec,
        below
      )
    }
  }

  private def compatibleCalls(calls: Seq[(PythonCall, Attribute)])
      : Seq[Seq[(PythonCall, Attribute)]] =
    calls.foldLeft(Vector.empty[Vector[(PythonCall, Attribute)]]) { (groups, call) =>
      groups.indexWhere(_.head._1.sharesWorkerWith(call._1)) match {
        case -1 => groups :+ Vector(call)
        case i => groups.updated(i, groups(i) :+ call)
      }
    }
}
