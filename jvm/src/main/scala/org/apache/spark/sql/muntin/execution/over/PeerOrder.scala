package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeRow}
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode
import org.apache.spark.sql.muntin.execution.sort.SortWord

/** Decides whether a row is a peer of the row before it. */
abstract class PeerOrder {

  /**
   * Returns true if the row is a peer of the row that was kept last; undefined if none was kept.
   */
  def isPeer(row: UnsafeRow): Boolean

  def keep(row: UnsafeRow): Unit
}

object PeerOrder {
  def apply(order: Seq[SortOrder], input: Seq[Attribute], code: GeneratedCode): PeerOrder =
    order.map(_.child) match {
      case Seq(a: Attribute) if SortWord.isLong(a.dataType) =>
        new OfLongs(input.indexWhere(_.exprId == a.exprId))
      case _ => new OfRows(code.ordering(order))
    }

  /** Compares one column of longs, without keeping a row. */
  private final class OfLongs(ordinal: Int) extends PeerOrder {
    private var last = 0L
    private var isNull = false

    override def isPeer(row: UnsafeRow): Boolean =
      if (row.isNullAt(ordinal)) isNull else !isNull && row.getLong(ordinal) == last

    override def keep(row: UnsafeRow): Unit = {
      isNull = row.isNullAt(ordinal)
      last = row.getLong(ordinal)
    }
  }

  private final class OfRows(order: Ordering[InternalRow]) extends PeerOrder {
    private var previous: UnsafeRow = _

    override def isPeer(row: UnsafeRow): Boolean =
      previous != null && order.compare(previous, row) == 0

    override def keep(row: UnsafeRow): Unit =
      if (previous == null) previous = row.copy() else previous.copyFrom(row)
  }
}
