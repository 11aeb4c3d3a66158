package org.apache.spark.sql.muntin.execution.split

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.PeekableRows

class DeferredRowsSuite extends MuntinSuite {
  private final class Rows(rows: Seq[UnsafeRow])
      extends Iterator[InternalRow]
      with PeekableRows {
    private var read = 0

    override def peek: UnsafeRow = if (hasNext) rows(read) else null

    override def hasNext: Boolean = read < rows.size

    override def next(): InternalRow = {
      read += 1
      rows(read - 1)
    }
  }

  private val two = Seq.tabulate(2) { i =>
    val row = UnsafeRow.createFromByteArray(16, 1)
    row.setInt(0, i)
    row
  }

  test("rows are not opened before they are needed, and opened once") {
    var opened = 0
    val rows = new DeferredRows({ () =>
      opened += 1
      new Rows(two)
    })
    assert(rows.peek == null && opened == 0)
    assert(rows.hasNext && opened == 1)
    assert(rows.toSeq == two && opened == 1)
  }

  test("opened rows that are peekable can be peeked") {
    val rows = new DeferredRows(() => new Rows(two))
    assert(rows.next() eq two.head)
    assert(rows.peek eq two.last)
    assert(rows.next() eq two.last)
    assert(rows.peek == null && !rows.hasNext)
  }

  test("opened rows that are not peekable cannot be peeked") {
    val rows = new DeferredRows(() => two.iterator)
    assert(rows.hasNext && rows.peek == null)
    assert(rows.toSeq == two)
  }
}
