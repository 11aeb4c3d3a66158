package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.columns.LongColumn
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.{SpillStore, TaskMemory}
import org.apache.spark.sql.muntin.spark.StateOfPartition

/**
 * Converts the state of windows to other functions or columns, one group after the other.
 *
 *     sum(x) OVER (… ROWS 2 PRECEDING)            max(x) OVER (… ROWS 1 PRECEDING)
 *     a group: rows 4 5, which windows retain     the kernel adopts the group, rows 4 5 arrive
 *              a row that waits                   again: it retains row 5; the row waits
 *
 * The rows keep their positions, so results that were emitted are not emitted again. The columns of
 * both jobs have the same ids. A column that the state lacks is `derived` from others, or null.
 *
 * @param before
 *   the job that wrote the state
 * @param after
 *   the job that continues
 * @param continuing
 *   the ordinals of the functions that continue, after and before the change
 * @param keepsBegins
 *   whether a downstream operator uses the starts of groups
 * @param heads
 *   rewrites heads for the output mode of the changed query
 */
private[streaming] final case class ChangedGroups(
    before: StreamJob,
    after: StreamJob,
    derived: AttributeMap[Expression],
    continuing: Map[Int, Int],
    keepsBegins: Boolean,
    byArrival: Boolean,
    byGroup: Boolean,
    heads: HeadsOfMode
) {

  /** Converts the state of a partition. */
  def write(from: StateOfPartition, to: StateOfPartition): Unit = {
    val context = TaskContext.get()
    val memory =
      TaskMemory.paged(context, new SpillStore(context), forceSpill = false)((_, _) => ())
    val old = new StreamStore(from, keepsBegins = false)
    val warm = new WarmGroups(before, 0L)
    val (oldState, stored, buffered) = (warm.state, warm.retainedForm, warm.bufferedForm)
    oldState.open(old)
    val retained = new RecordedRows(stored)
    val group = new StreamGroup(
      before.kernels().make(memory),
      new RetainedRows(oldState, retained),
      new BufferedRows(oldState, buffered)
    )
    val store = new StreamStore(to, keepsBegins)
    val groups = new StreamGroups(
      after,
      store,
      StreamTime(None, None, byArrival, dropsUnordered = false, byGroup = byGroup),
      memory,
      new WarmGroups(after, 0L),
      new LongColumn(memory, nullable = false),
      ChangedGroups.noDrops,
      // Answers are stored, and none has been emitted.
      Option.when(heads.isEarly)(
        RevisionPolicy(None, isEarly = false, batch = 0L, isAll = false)
      ),
      isRealTime = false
    )
    groups.totals.newest = oldState.totals.newest
    groups.totals.isDrained = oldState.totals.isDrained
    val withoutAnswers = heads.copy(isEarly = false)
    val converted = UnsafeProjection.create(after.input.map(columnOf))
    val waiting = new ReleasedRows(None, buffered)
    val key = new UnsafeRow(before.keys.size)
    old.heads.foreach { case (id, head) =>
      key.pointTo(id, id.length)
      retained.clear()
      stored.use(key)
      buffered.use(key)
      group.read(key, id, withoutAnswers(head), isClosing = false, emittedColumns = None)
      groups.adopt(key, group) { next =>
        next.retained.start(id, group.first)
        next.kernel.adopt(group.kernel, group.first, group.kernel.written, continuing)
        retained.rows.zipWithIndex.foreach { case (row, i) =>
          val same = converted(row)
          next.kernel.replayRow(group.first + i, same)
          next.retained.add(same, next.kernel)
        }
        next.kernel.resumed()
        next.kernel.adopted()
        waiting.clear()
        group.buffered.show(waiting)
        while (waiting.hasNext) {
          val time = waiting.nextTime
          next.buffered.add(time, converted(waiting.next()))
        }
      }
    }
    groups.writeTimers()
    store.putTotals(groups.totals.write())
  }

  private def columnOf(column: Attribute): Expression =
    if (before.input.exists(_.exprId == column.exprId)) bound(column)
    else derived.get(column).fold[Expression](Literal(null, column.dataType))(bound)

  private def bound(expression: Expression): Expression =
    BindReferences.bindReference(expression, before.input)
}

private[streaming] object ChangedGroups {
  private def noDrops = new GroupDrops(None, metric, metric, metric)

  private def metric = new SQLMetric("sum")
}
