package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Iterates over the results of one task: `findNext` reads rows until there is a result. Their
 * duration is the time from the first result to the last, including the operators around, as for
 * Spark's compiled stages: a clock around each row would cost as much as the row.
 */
abstract class ResultIterator(outputRows: SQLMetric, duration: Option[SQLMetric] = None)
    extends Iterator[InternalRow] {
  protected final val context: TaskContext = TaskContext.get()
  private var found: InternalRow = _
  private var written = 0L
  private val begun = System.nanoTime()
  private var isTimed = false

  duration.foreach(_ => context.addTaskCompletionListener[Unit](_ => addDuration()))

  /** Returns the next result, valid until the next call; null after the last result. */
  protected def findNext(): InternalRow

  override final def hasNext: Boolean = {
    if (found == null) {
      found = findNext()
      if (found == null) addDuration()
    }
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

  private def addDuration(): Unit = if (!isTimed) {
    isTimed = true
    duration.foreach(_ += System.nanoTime() - begun)
  }
}
