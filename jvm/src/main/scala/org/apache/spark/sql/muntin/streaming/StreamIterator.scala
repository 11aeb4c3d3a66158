package org.apache.spark.sql.muntin.streaming

import java.util.HashSet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.{KeyedRows, ResultIterator}

/**
 * Runs the micro-batch of one partition: first the groups that have rows, which are sorted by
 * group, and with `isSorted` by the job's order within a group; then the groups whose timers are
 * due, and with `hasMarks` the open groups. If the stream is drained, all groups follow. No row is
 * late: LateRowsExec has dropped late rows.
 */
final class StreamIterator(
    input: Iterator[InternalRow],
    job: StreamJob,
    groups: StreamGroups,
    hasMarks: Boolean,
    isSorted: Boolean,
    outputRows: SQLMetric
) extends ResultIterator(outputRows) {
  private val rows = new KeyedRows(input, job.keys, job.input)
  private val keyOfGroup = new UnsafeRow(job.keys.size)
  private lazy val due = groups.dueGroups(hasMarks)
  // With marks: the groups that had rows, which the marks have cut already.
  private val cut = new HashSet[UnsafeRow]
  private var inGroup = false
  private var visited = 0L

  rows.next()

  override protected def findNext(): InternalRow = {
    while (inGroup || nextGroup()) {
      val found = groups.next()
      inGroup = found != null
      if (inGroup) return found
    }
    null
  }

  private def nextGroup(): Boolean = {
    // Many groups may have no result.
    visited += 1L
    if ((visited & 0x3ff) == 0) context.killTaskIfInterrupted()
    if (rows.row != null) {
      groups.begin(rows.key)
      if (hasMarks) cut.add(rows.key.copy()): Unit
      if (isSorted) groups.addSorted(rows) else addRows()
      begun()
    } else {
      while (!inGroup && due.hasNext) {
        val bytes = due.next()
        keyOfGroup.pointTo(bytes, bytes.length)
        if (!cut.contains(keyOfGroup)) {
          groups.begin(keyOfGroup)
          begun()
        }
      }
    }
    inGroup
  }

  private def addRows(): Unit = {
    groups.add(rows.row)
    rows.next()
    while (rows.inGroup) {
      groups.add(rows.row)
      rows.next()
    }
  }

  private def begun(): Unit = {
    groups.allAdded()
    inGroup = true
  }
}
