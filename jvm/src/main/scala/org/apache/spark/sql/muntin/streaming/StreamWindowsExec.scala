package org.apache.spark.sql.muntin.streaming

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.catalyst.streaming.InternalOutputModes
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  StateStoreSaveExec,
  StatefulOperatorCustomMetric,
  StatefulOperatorCustomSumMetric
}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.muntin.{MuntinConf, StatefulExec, StatefulInfo}
import org.apache.spark.sql.muntin.execution.TaskMemory
import org.apache.spark.sql.muntin.expressions.InvalidRow
import org.apache.spark.util.CompletionIterator

/** Runs a job over a stream, one micro-batch at a time, with its state in the state store. */
final class StreamWindowsExec(val job: StreamJob, info: StatefulInfo, child: SparkPlan)
    extends StatefulExec(job.keys, info, child) {

  override def nodeName: String = "MuntinStream"

  override def shortName: String = "muntin"

  override def output: Seq[Attribute] = job.output

  override protected def withInfo(info: StatefulInfo, child: SparkPlan): StreamWindowsExec =
    new StreamWindowsExec(job, info, child)

  override protected def families: Seq[StreamStore.Family] = StreamStore.families

  override protected def properties: Seq[(String, String)] = Seq(
    "layout" -> StreamStore.LayoutVersion.toString,
    "window" -> job.name,
    "keys" -> columns(job.keys),
    "order" -> job.order.map(o =>
      s"${o.child.sql} ${o.direction.sql} ${o.nullOrdering.sql}"
    ).mkString(", "),
    "input" -> columns(job.input),
    "answers" -> conf.getConf(MuntinConf.StreamOrder)
  ) ++ job.fingerprint

  private def columns(attributes: Seq[Attribute]) =
    attributes.map(a => s"${a.name} ${a.dataType.sql}").mkString(", ")

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric("numRowsBuffered", "number of rows that are kept or wait"),
    StatefulOperatorCustomSumMetric("numPages", "number of pages of such rows"),
    StatefulOperatorCustomSumMetric("numGroups", "number of groups with state"),
    StatefulOperatorCustomSumMetric("numRowsOutOfOrder", "number of rows left out, out of order")
  )

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    eventTimeWatermarkForEviction.exists(newInputWatermark > _)

  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    job.delay.map(delay => math.max(0L, inputWatermarkMs - (delay + 999L) / 1000L))

  override protected def doExecute(): RDD[InternalRow] = {
    metrics: Unit
    validateStateStoreProvider(isStreaming)
    child.foreach {
      case below: StateStoreSaveExec if !below.outputMode.contains(InternalOutputModes.Append) =>
        throw InvalidRow(
          job.name,
          "outputMode",
          s"${below.outputMode.fold("")(_.toString)}, in which the aggregate below gives its rows more than " +
            "once, each time with another value; write with outputMode(\"append\")"
        )
      case _ => ()
    }
    val hasWatermark = job.input.exists(a => a.exprId == job.time.exprId && StreamTimes.isMarked(a))
    val time = StreamTime(
      eventTimeWatermarkForLateEvents.filter(_ => hasWatermark).map(_ * 1000L),
      eventTimeWatermarkForEviction.filter(_ => hasWatermark).map(_ * 1000L),
      conf.getConf(MuntinConf.StreamOrder) == "arrival",
      conf.getConf(MuntinConf.StreamOutOfOrder) == "drop"
    )
    val streamJob = job
    mapWithState(child)((store, rows) => run(streamJob, time, store, rows))
  }

  private def run(
      job: StreamJob,
      time: StreamTime,
      store: StateStore,
      rows: Iterator[InternalRow]
  ): Iterator[InternalRow] = {
    val began = System.nanoTime
    val memory = new TaskMemory(TaskContext.get().taskMemoryManager())
    TaskContext.get().addTaskCompletionListener[Unit](_ => memory.releaseAll())
    val state = new StreamStore(store)
    val groups = new StreamGroups(job, state, time, memory)
    val dropped = longMetric("numRowsDroppedByWatermark")
    val written = longMetric("numOutputRows")
    val results =
      new StreamIterator(rows, job, groups, state, time, () => dropped += 1L).map { row =>
        written += 1L
        row
      }
    CompletionIterator[InternalRow, Iterator[InternalRow]](
      results, {
        state.putTotals(groups.totals.write())
        longMetric("numRowsBuffered") += groups.totals.rows
        longMetric("numPages") += groups.totals.pages
        longMetric("numGroups") += groups.totals.groups
        longMetric("numRowsOutOfOrder") += groups.unordered
        longMetric("allUpdatesTimeMs") += (System.nanoTime - began) / 1000000L
        longMetric("commitTimeMs") += timeTakenMs(store.commit(): Unit)
        setStoreMetrics(store, true)
        setOperatorMetrics(1)
      }
    )
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${job.name} ${job.keys.mkString("[", ", ", "]")}, ${job.order.mkString("[", ", ", "]")}"
}
