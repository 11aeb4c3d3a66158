package org.apache.spark.sql.muntin.expressions.internal

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.muntin.expressions.common.{KeyOrder, OfRowAlone}
import org.apache.spark.sql.types.{DataType, LongType}

/** Which rows of the frame PlaceInOrder counts. */
sealed abstract class CountedRows extends Serializable

object CountedRows {

  /** Those whose keys are below the row's. */
  case object Below extends CountedRows

  /** Those, and of those with the row's keys the ones before it. */
  case object Before extends CountedRows

  /** Those whose keys are not above the row's. */
  case object UpTo extends CountedRows

  case object All extends CountedRows

  /** Counts the row itself: 1 if it is in its frame, else 0. */
  case object Itself extends CountedRows

  /** The different keys that are below the row's. */
  case object KeysBelow extends CountedRows
}

/** rank(ORDER BY y) OVER w and its like: how many rows of the frame come before the row. */
final case class PlaceInOrder(
    rows: CountedRows,
    keys: Seq[Expression],
    orders: Seq[KeyOrder]
) extends OfRowAlone {
  override def children: Seq[Expression] = keys

  def sortOrders: Seq[SortOrder] = keys.zip(orders).map { case (key, order) => order.of(key) }

  override def prettyName: String = "rank"

  override def dataType: DataType = LongType

  override def nullable: Boolean = true

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : PlaceInOrder = copy(keys = newChildren.toVector)
}

/** lead(x, n ORDER BY y) OVER w: the value so many rows behind the row's place in the order. */
final case class ShiftedInOrder(
    input: Expression,
    distance: Expression,
    keys: Seq[Expression],
    orders: Seq[KeyOrder]
) extends OfRowAlone {
  override def children: Seq[Expression] = input +: distance +: keys

  def sortOrders: Seq[SortOrder] = keys.zip(orders).map { case (key, order) => order.of(key) }

  override def prettyName: String = "lead"

  override def dataType: DataType = input.dataType

  override def nullable: Boolean = true

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : ShiftedInOrder =
    copy(newChildren.head, newChildren(1), newChildren.drop(2).toVector)
}
