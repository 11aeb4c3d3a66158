package org.apache.spark.sql.muntin.streaming

import java.util.UUID

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.{SpillStore, TaskMemory}
import org.apache.spark.sql.muntin.spark.{RowsWithCompletion, StateOfPartition}

/**
 * Runs the tasks of a stateful operator in a micro-batch, each with its partition.
 *
 * @param late
 *   the folder for dropped rows, if any
 * @param report
 *   receives the bound of this operator's rows, for a downstream operator; with true the bound of
 *   their starts
 * @param partitions
 *   the number of partitions of the state
 * @param openedAt
 *   if the clock closes windows: receives the earliest clock at which an open window opened
 * @param batchMillis
 *   in real-time mode, in which the result of each row is emitted before the next row is read: the
 *   duration of the batch
 * @param isSorted
 *   whether the rows of a group arrive in the job's order
 */
private[streaming] final case class StreamTask(
    job: StreamJob,
    time: StreamTime,
    late: Option[LateFolder],
    report: Option[(TimeAccumulator, Boolean)],
    openedAt: Option[TimeAccumulator],
    revisionPolicy: Option[RevisionPolicy],
    run: UUID,
    partitions: Int,
    mostWarm: Option[Long],
    forceSpill: Boolean,
    batchMillis: Option[Long],
    isSorted: Boolean,
    metrics: Map[String, SQLMetric]
) {

  /**
   * Returns the results of a partition. After the last result, `committed` receives the number of
   * entries.
   */
  def apply(store: StateOfPartition, rows: Iterator[InternalRow], marks: Array[Long])(
      committed: Long => Unit
  ): Iterator[InternalRow] = {
    val began = System.nanoTime
    val context = TaskContext.get()
    val disk = new SpillStore(context)
    val memory = TaskMemory.paged(context, disk, forceSpill)((_, _) => ())
    val state = new StreamStore(store, keepsBegins = report.exists(_._2))
    val place = WarmStore.StatePartition(run, store.operator, store.partition)
    val warm = WarmStore.take(place, store.version, job, WarmStore.most(mostWarm))
    if (warm.isNew) GroupPartition.check(store, state, job.keys.map(_.dataType), partitions)
    var isOurs = true
    def endWarm(): Unit = if (isOurs) {
      isOurs = false
      warm.end()
    }
    warm.begin(memory, disk)
    context.addTaskCompletionListener[Unit](_ => endWarm()): Unit
    val groups = new StreamGroups(
      job,
      state,
      time,
      memory,
      warm,
      MarkedRows.column(memory, marks),
      new GroupDrops(
        late.map(_.file("state", job.input, context)),
        metrics("numRowsDroppedByWatermark"),
        metrics("numRowsOutOfOrder"),
        metrics("numGroupsExpired")
      ),
      revisionPolicy,
      isRealTime = batchMillis.isDefined
    )
    val results = batchMillis.fold[Iterator[InternalRow]](
      new StreamIterator(rows, job, groups, marks.nonEmpty, isSorted, metrics("numOutputRows"))
    )(new RealTimeIterator(rows, job, groups, _, metrics("numOutputRows")))
    RowsWithCompletion(results) {
      if (batchMillis.isDefined) groups.flush()
      groups.writeTimers()
      openedAt.foreach(_.update(groups.oldestClock))
      report.foreach { case (above, isBegin) =>
        above.update(if (isBegin) groups.beginsBound else groups.resultsBound)
      }
      val totals = groups.totals
      state.putTotals(totals.write())
      metrics("numRowsBuffered") += totals.rows
      metrics("numPages") += totals.pages
      metrics("numGroups") += totals.groups
      metrics("stateBytes") += totals.bytes
      metrics("allUpdatesTimeMs") += millisSince(began)
      val commits = System.nanoTime
      store.commit()
      metrics("commitTimeMs") += millisSince(commits)
      endWarm()
      WarmStore.leave(place, store.version + 1L, warm)
      committed(totals.groups + totals.pages)
    }
  }

  private def millisSince(began: Long): Long = (System.nanoTime - began) / 1000000L
}
