package org.apache.spark.sql.muntin.streaming

import java.util.UUID

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.{SpillStore, TaskMemory}
import org.apache.spark.sql.muntin.spark.{RowsWithCompletion, StateOfPartition}

/**
 * Runs the tasks of a stateful operator in a micro-batch, each with its partition.
 */
private[streaming] final case class StreamTask(
    job: StreamJob,
    time: StreamTime,
    delivery: StreamTask.Delivery,
    state: StreamTask.State,
    reports: TaskReports
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
    val memory = TaskMemory.paged(context, disk, state.forceSpill)((_, _) => ())
    val entries = new StreamStore(store, reports.keepsBegins)
    val place = WarmStore.StatePartition(state.run, store.operator, store.partition)
    val warm = WarmStore.take(place, store.version, job, WarmStore.most(state.mostWarm))
    if (warm.isNew) {
      GroupPartition.check(store, entries, job.keys.map(_.dataType), state.partitions)
    }
    var isOurs = true
    def endWarm(): Unit = if (isOurs) {
      isOurs = false
      warm.end()
    }
    warm.begin(memory, disk)
    context.addTaskCompletionListener[Unit](_ => endWarm()): Unit
    val groups = new StreamGroups(
      job,
      entries,
      time,
      memory,
      warm,
      MarkedRows.column(memory, marks),
      reports.drops(job.input, context),
      delivery.revisionPolicy,
      delivery.isRealTime
    )
    RowsWithCompletion(delivery.results(rows, job, groups, marks.nonEmpty, reports.outputRows)) {
      if (delivery.isRealTime) groups.flush()
      groups.writeTimers()
      reports.add(groups)
      entries.putTotals(groups.totals.write())
      reports.addTime("allUpdatesTimeMs", began)
      val commits = System.nanoTime
      store.commit()
      reports.addTime("commitTimeMs", commits)
      endWarm()
      WarmStore.leave(place, store.version + 1L, warm)
      committed(groups.totals.groups + groups.totals.pages)
    }
  }
}

private[streaming] object StreamTask {

  /**
   * How results leave the operator.
   *
   * @param batchMillis
   *   in real-time mode, in which the result of each row is emitted before the next row is read:
   *   the duration of the batch
   * @param isSorted
   *   whether the rows of a group arrive in the job's order
   */
  final case class Delivery(
      revisionPolicy: Option[RevisionPolicy],
      batchMillis: Option[Long],
      isSorted: Boolean
  ) {
    def isRealTime: Boolean = batchMillis.isDefined

    def results(
        rows: Iterator[InternalRow],
        job: StreamJob,
        groups: StreamGroups,
        isMarked: Boolean,
        outputRows: SQLMetric
    ): Iterator[InternalRow] = batchMillis match {
      case Some(millis) => new RealTimeIterator(rows, job, groups, millis, outputRows)
      case None => new StreamIterator(rows, job, groups, isMarked, isSorted, outputRows)
    }
  }

  /** Where groups are between micro-batches: in `partitions` of the state, and in memory. */
  final case class State(
      run: UUID,
      partitions: Int,
      mostWarm: Option[Long],
      forceSpill: Boolean
  )
}
