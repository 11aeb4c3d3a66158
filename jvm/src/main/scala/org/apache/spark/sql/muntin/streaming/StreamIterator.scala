package org.apache.spark.sql.muntin.streaming

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.PartitionChanges
import org.apache.spark.sql.muntin.expressions.{InvalidRow, ShownRow}

/**
 * One partition's micro-batch: the groups of its rows, which come sorted by group, then the groups for which
 * time has come. `late` hears of each row that is left out.
 */
final class StreamIterator(
    input: Iterator[InternalRow],
    job: StreamJob,
    groups: StreamGroups,
    store: StreamStore,
    time: StreamTime,
    late: () => Unit
) extends Iterator[InternalRow] {
  private val context = TaskContext.get()
  private val timeOrdinal = job.input.indexWhere(_.exprId == job.time.exprId)
  private val changes = new PartitionChanges(job.keys, job.input)
  private val keyOfGroup = new UnsafeRow(job.keys.size)
  private lazy val due = store.due(time.watermark.fold(Long.MinValue)(_ + 1L))

  // The first row of the next group; null when there is none.
  private var nextRow: UnsafeRow = _
  private var inGroup = false
  private var found: InternalRow = _
  private var steps = 0L

  fetch()
  if (nextRow != null) changes.isNew(nextRow): Unit

  override def hasNext: Boolean = {
    while (found == null && (inGroup || nextGroup())) {
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
      var same = true
      while (same) {
        groups.add(nextRow)
        fetch()
        same = nextRow != null && !changes.isNew(nextRow)
      }
      groups.settle()
      inGroup = true
    } else if (due.hasNext) {
      val bytes = due.next()
      keyOfGroup.pointTo(bytes, bytes.length)
      groups.begin(keyOfGroup)
      groups.settle()
      inGroup = true
    }
    inGroup
  }

  private def fetch(): Unit = {
    nextRow = null
    while (nextRow == null && input.hasNext) {
      steps += 1L
      if ((steps & 0x3ff) == 0) context.killTaskIfInterrupted()
      val row = input.next().asInstanceOf[UnsafeRow]
      if (row.isNullAt(timeOrdinal)) throw noTime(row)
      if (time.late.exists(row.getLong(timeOrdinal) <= _)) late() else nextRow = row
    }
  }

  private def noTime(row: UnsafeRow): Throwable =
    job.withoutTime(row).getOrElse(InvalidRow(
      job.name,
      job.time.name,
      s"null, which no watermark ever passes (in the row ${ShownRow(job.input)(row)}); leave such " +
        s"rows out: df.where(\"${job.time.name} IS NOT NULL\")"
    ))
}
