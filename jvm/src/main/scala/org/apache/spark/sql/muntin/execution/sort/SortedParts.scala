package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{KeyedRows, PeekableRows}

/**
 * Sorts rows that arrive in the order of the first keys part by part: a part has all rows of some
 * keys, and is emitted before the next part is read. So only one part needs memory, and its rows
 * are in the processor's cache.
 *
 *     rows     a 3   a 1 | b 2 | c 5   c 4        by a key, and a number in no order
 *     parts    a 1   a 3 | b 2 | c 4   c 5        of at least `enoughRows`, except the last
 *
 * Guarded by SortedPartsSuite.
 */
private[sort] final class SortedParts(
    rows: KeyedRows,
    sorter: RowSorter,
    enoughRows: Int,
    sort: RowSorter => Iterator[UnsafeRow]
) extends Iterator[UnsafeRow]
    with PeekableRows {
  private var part: Iterator[UnsafeRow] = Iterator.empty
  private var ofPart = PeekableRows.Never
  private var isBegun = false
  rows.next()

  override def peek: UnsafeRow = ofPart.peek

  override def hasNext: Boolean = part.hasNext || rows.row != null

  override def next(): UnsafeRow = {
    if (!part.hasNext) {
      if (rows.row == null) throw new NoSuchElementException
      takeIn()
    }
    part.next()
  }

  private def takeIn(): Unit = {
    if (isBegun) sorter.restart()
    isBegun = true
    var count = 0
    while (rows.row != null && (count < enoughRows || !rows.isFirst)) {
      sorter.add(rows.row)
      count += 1
      rows.next()
    }
    part = sort(sorter)
    ofPart = PeekableRows.of(part)
  }
}
