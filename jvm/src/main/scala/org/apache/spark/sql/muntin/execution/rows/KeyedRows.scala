package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}

/**
 * Iterates over the sorted rows of a task, and detects where the rows of the next key begin.
 *
 *     rows      a 1   a 2   b 3          next, next, next, next
 *     isFirst   yes   no    yes          then row is null
 */
final class KeyedRows(
    rows: Iterator[InternalRow],
    val keys: Seq[Expression],
    val output: Seq[Attribute]
) extends PeekableRows {
  private val context = TaskContext.get()
  private val changes = new PartitionChanges(keys, output)
  private var current: UnsafeRow = _
  private var first = false
  private var count = 0L

  private val peekable = PeekableRows.of(rows)

  /** Returns the current row; null before the first row and after the last. */
  def row: UnsafeRow = current

  override def peek: UnsafeRow = peekable.peek

  /** Returns the keys of the current row. */
  def key: UnsafeRow = changes.key

  /** Returns how many rows precede the current row. */
  def before: Long = count - 1L

  /** Returns true if the current row is the first of its keys. */
  def isFirst: Boolean = first

  /** Returns true if there is a current row and it is not the first of its keys. */
  def inGroup: Boolean = current != null && !first

  def next(): Unit = {
    count += 1L
    // Many rows may lie between two results, and no other code would check for a kill.
    if ((count & 0x3ff) == 0) context.killTaskIfInterrupted()
    current = if (rows.hasNext) rows.next().asInstanceOf[UnsafeRow] else null
    first = current != null && changes.isNew(current)
  }

  def nextGroup(): Unit = {
    next()
    while (inGroup) next()
  }

  /** Continues a group: the rows of the current row's keys begin before it, in another chunk. */
  def continueGroup(): Unit = first = false
}
