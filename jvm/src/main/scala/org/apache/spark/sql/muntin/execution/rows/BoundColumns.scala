package org.apache.spark.sql.muntin.execution.rows

import io.muntin.kernel.columns.Column
import org.apache.spark.sql.catalyst.InternalRow

/** The columns of one attribute, which receive a bound after their last row, and lose it again. */
final class BoundColumns(columns: Array[Column], feeders: Array[Feeder]) {

  /** Adds the attribute of `bound`; `takeBack` removes it. */
  def raise(bound: InternalRow): Unit = {
    var i = 0
    while (i < feeders.length) {
      feeders(i).append(bound)
      i += 1
    }
  }

  def takeBack(): Unit = {
    var i = 0
    while (i < columns.length) {
      columns(i).takeBack()
      i += 1
    }
  }
}
