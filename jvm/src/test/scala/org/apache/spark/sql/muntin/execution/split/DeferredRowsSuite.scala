package org.apache.spark.sql.muntin.execution.split

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{LeavesRoom, LooksAhead}

class DeferredRowsSuite extends MuntinSuite {
  private final class Rows(rows: Seq[UnsafeRow])
      extends Iterator[InternalRow]
      with LeavesRoom
      with LooksAhead {
    private var read = 0
    var room = 0

    override def leaveRoom(fields: Int): Boolean = {
      room = fields
      true
    }

    override def ahead: UnsafeRow = if (hasNext) rows(read) else null

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

  test("Nothing is opened before it is needed, and it is opened once") {
    var opened = 0
    val rows = new DeferredRows({ () =>
      opened += 1
      new Rows(two)
    })
    assert(rows.ahead == null && opened == 0)
    assert(rows.hasNext && opened == 1)
    assert(rows.toSeq == two && opened == 1)
  }

  test("Room and a look ahead are those of the rows that are opened") {
    val inner = new Rows(two)
    val rows = new DeferredRows(() => inner)
    assert(rows.leaveRoom(3) && inner.room == 3)
    assert(rows.ahead eq two.head)
    assert(rows.next() eq two.head)
    assert(rows.ahead eq two.last)
    assert(rows.next() eq two.last)
    assert(rows.ahead == null && !rows.hasNext)
  }

  test("Rows without room and without a look ahead have neither") {
    val rows = new DeferredRows(() => two.iterator)
    assert(!rows.leaveRoom(3))
    assert(rows.hasNext && rows.ahead == null)
    assert(rows.toSeq == two)
  }
}
