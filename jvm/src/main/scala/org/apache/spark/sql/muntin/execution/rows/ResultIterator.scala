package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/** The results of one task: `findNext` goes along the rows until there is a result. */
abstract class ResultIterator(outputRows: SQLMetric) extends Iterator[InternalRow] {
  protected final val context: TaskContext = TaskContext.get()
  private var found: InternalRow = _
  private var written = 0L

  /** The next result, valid until the next call; null behind the last result. */
  protected def findNext(): InternalRow

  override final def hasNext: Boolean = {
    if (found == null) found = findNext()
    found != null
  }

  override final def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    val result = found
    found = null
    written += 1L
    // Few rows may have many results, and the input, which checks for a kill, may have ended.
    if ((written & 0x3ff) == 0) context.killTaskIfInterrupted()
    outputRows += 1
    result
  }
}
