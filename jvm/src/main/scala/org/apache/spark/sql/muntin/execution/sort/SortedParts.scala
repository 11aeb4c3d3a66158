package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{KeyedRows, PeekableRows}

/**
 * Rows that come in order of the first keys of a sort, sorted part by part: a part has all rows of
 * some keys, and goes out before the next part comes in. So there is memory for one part alone, and
 * its rows are near to the processor.
 *
 *     rows     a 3   a 1 | b 2 | c 5   c 4        by a key, and a number in no order
 *     parts    a 1   a 3 | b 2 | c 4   c 5        of at least `enoughRows`, but the last
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
