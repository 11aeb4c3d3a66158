package org.apache.spark.sql.muntin.streaming

import java.util.HashSet

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.rows.PartitionChanges

/**
 * The micro-batch of one partition: first the groups that have rows, which come sorted by group;
 * then the groups whose timers are due, and with `hasMarks` the groups that are open. Calls `late`
 * for each row that is left out.
 */
final class StreamIterator(
    input: Iterator[InternalRow],
    job: StreamJob,
    groups: StreamGroups,
    store: StreamStore,
    hasMarks: Boolean,
    late: () => Unit
) extends Iterator[InternalRow] {
  import groups.time

  private val context = TaskContext.get()
  private val rowTime = new StreamRowTime(job.name, job.time, job.input)
  private val changes = new PartitionChanges(job.keys, job.input)
  private val keyOfGroup = new UnsafeRow(job.keys.size)
  private lazy val due = store.due(time.bound.getOrElse(Long.MinValue), hasMarks)
  // With marks: the groups that had rows, and have been cut at the marks already.
  private val cut = new HashSet[UnsafeRow]

  // The first row of the next group; null where there is none.
  private var nextRow: UnsafeRow = _
  private var inGroup = false
  private var found: InternalRow = _
  private var steps = 0L

  fetch()
  if (nextRow != null) changes.isNew(nextRow): Unit

  override def hasNext: Boolean = {
    while (found == null && (inGroup || nextGroup())) {
      step()
      found = groups.next()
      inGroup = found != null
    }
    found != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    val row = found
    found = null
    row
  }

  private def nextGroup(): Boolean = {
    if (nextRow != null) {
      groups.begin(changes.key)
      if (hasMarks) cut.add(changes.key.copy()): Unit
      var same = true
      while (same) {
        groups.add(nextRow)
        fetch()
        same = nextRow != null && !changes.isNew(nextRow)
      }
      groups.allAdded()
      inGroup = true
    } else {
      while (!inGroup && due.hasNext) {
        val bytes = due.next()
        keyOfGroup.pointTo(bytes, bytes.length)
        if (!cut.contains(keyOfGroup)) {
          groups.begin(keyOfGroup)
          groups.allAdded()
          inGroup = true
        }
      }
    }
    inGroup
  }

  // Rows, results and groups that are due: there may be many of one without the others.
  private def step(): Unit = {
    steps += 1L
    if ((steps & 0x3ff) == 0) context.killTaskIfInterrupted()
  }

  private def fetch(): Unit = {
    nextRow = null
    while (nextRow == null && input.hasNext) {
      step()
      val row = input.next().asInstanceOf[UnsafeRow]
      if (rowTime.isMissing(row)) job.withoutTime(row).foreach(e => throw e)
      val t = rowTime.of(row)
      if (time.lateBelow.exists(t < _)) late() else nextRow = row
    }
  }
}
