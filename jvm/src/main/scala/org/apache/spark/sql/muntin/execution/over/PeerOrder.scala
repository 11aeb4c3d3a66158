package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeRow}
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import org.apache.spark.sql.muntin.execution.sort.SortWord

/** Whether each row is a peer of the row before it. */
abstract class PeerOrder {

  /** To be called for each row once; of the first row of all it says anything. */
  def isPeer(row: UnsafeRow): Boolean
}

object PeerOrder {
  def apply(order: Seq[SortOrder], input: Seq[Attribute], code: GeneratedCode): PeerOrder =
    order.map(_.child) match {
      case Seq(a: Attribute) if SortWord.isLong(a.dataType) =>
        new OfLongs(input.indexWhere(_.exprId == a.exprId))
      case _ => new OfRows(code.ordering(order))
    }

  /** By one column of longs: no row is kept. */
  private final class OfLongs(ordinal: Int) extends PeerOrder {
    private var last = 0L
    private var isNull = false

    override def isPeer(row: UnsafeRow): Boolean = {
      val before = last
      val wasNull = isNull
      isNull = row.isNullAt(ordinal)
      last = if (isNull) 0L else row.getLong(ordinal)
      last == before && isNull == wasNull
    }
  }

  private final class OfRows(order: Ordering[InternalRow]) extends PeerOrder {
    private var previous: UnsafeRow = _

    override def isPeer(row: UnsafeRow): Boolean = {
      val found = previous != null && order.compare(previous, row) == 0
      if (previous == null) previous = row.copy() else previous.copyFrom(row)
      found
    }
  }
}
