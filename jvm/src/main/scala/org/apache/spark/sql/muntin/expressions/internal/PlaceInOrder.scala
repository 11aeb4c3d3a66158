package org.apache.spark.sql.muntin.expressions.internal

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.muntin.expressions.common.{CurrentRowAggregate, KeyOrder}
import org.apache.spark.sql.types.{DataType, LongType}

/** The rows of the frame that PlaceInOrder counts. */
sealed abstract class CountedRows extends Serializable

object CountedRows {

  /** Counts the rows whose keys are below the row's keys. */
  case object Below extends CountedRows

  /**
   * Counts the rows whose keys are below the row's keys, and the rows with equal keys that precede
   * it.
   */
  case object Before extends CountedRows

  /** Counts the rows whose keys are not above the row's keys. */
  case object UpTo extends CountedRows

  case object All extends CountedRows

  /** Counts the row itself: 1 if it is in its frame, else 0. */
  case object Itself extends CountedRows

  /** Counts the distinct keys that are below the row's keys. */
  case object KeysBelow extends CountedRows
}

/** rank(ORDER BY y) OVER w and similar functions: the number of the frame's rows before the row. */
final case class PlaceInOrder(
    rows: CountedRows,
    keys: Seq[Expression],
    orders: Seq[KeyOrder]
) extends CurrentRowAggregate {
  override def children: Seq[Expression] = keys

  def sortOrders: Seq[SortOrder] = keys.zip(orders).map { case (key, order) => order.of(key) }

  override def prettyName: String = "rank"

  override def dataType: DataType = LongType

  override def nullable: Boolean = true

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : PlaceInOrder = copy(keys = newChildren.toVector)
}

/** lead(x, n ORDER BY y) OVER w: the value n rows after the row's position in the order. */
final case class ShiftedInOrder(
    input: Expression,
    distance: Expression,
    keys: Seq[Expression],
    orders: Seq[KeyOrder]
) extends CurrentRowAggregate {
  override def children: Seq[Expression] = input +: distance +: keys

  def sortOrders: Seq[SortOrder] = keys.zip(orders).map { case (key, order) => order.of(key) }

  override def prettyName: String = "lead"

  override def dataType: DataType = input.dataType

  override def nullable: Boolean = true

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : ShiftedInOrder =
    copy(newChildren.head, newChildren(1), newChildren.drop(2).toVector)
}
