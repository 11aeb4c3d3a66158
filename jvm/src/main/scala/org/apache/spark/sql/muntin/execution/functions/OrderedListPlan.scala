package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Column, ObjectColumn}
import io.muntin.kernel.lists.{
  LinkedList,
  LinkedRows,
  ListOfPieces,
  ListedRows,
  RunningList,
  SlidingList
}
import io.muntin.kernel.ranks.{SortedFrame, SortedRows, SortedSlots}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * listagg WITHIN GROUP: the values of the frame in an order of their own, equal values in the order
 * of the rows.
 */
private final case class OrderedList(
    input: Expression,
    orders: Seq[SortOrder],
    values: ByteValues
) extends AggregatePlan {
  override def on(frame: FrameKind): Seq[Abilities] =
    if (frame.isScattered) Seq(LinkedRows.abilities, SortedFrame.abilities)
    else if (frame.hasHoles) Seq(SortedFrame.abilities.called("positions sorted anew"))
    else Seq(SortedFrame.abilities)

  private def key = ("sorted", input.canonicalized, orders.map(_.canonicalized))

  private def sortKey: Expression = CreateStruct(orders.map(_.child))

  override def build(frame: FrameBuilder, ordinal: Int): Output =
    if (frame.slots.isDefined) {
      val sorted = frame.accumulator(key) {
        val rows = new LinkedList(ListPlans.linked(frame, Some(input)), frame.column(input))
        new SortedSlots(frame.memory, frame.column(sortKey), rows, new RowOrder(orders))
      }
      output(sorted, ordinal)(sorted.refresh())
    } else if (frame.hasHoles) {
      val sorted = frame.shared(key)(inFrame(frame))
      output(sorted, ordinal) {
        sorted.forget()
        sorted.refresh()
      }
    } else {
      val sorted = frame.accumulator(key)(inFrame(frame))
      output(sorted, ordinal)(sorted.refresh())
    }

  private def output(sorted: SortedRows, ordinal: Int)(refreshing: => Unit): Output =
    new BytesOutput(values, sorted, ordinal) {
      override protected def refresh(): Unit = refreshing
    }

  private def inFrame(frame: FrameBuilder): SortedFrame = {
    val keys = frame.column(sortKey)
    val column = frame.column(input)
    val marks = Some(column).filter(_.isNullable)
    def of(piece: FrameBuilder, values: Column, present: Option[Column]): ListedRows =
      if (piece.evicts) new SlidingList(frame.memory, values, present)
      else new RunningList(values, marks)
    def listed(name: String, values: Column, present: Option[Column]): ListedRows =
      if (frame.hasHoles) {
        frame.accumulatorOfPieces[ListedRows, ListedRows]((name, input.canonicalized)) {
          of(_, values, present)
        }(new ListOfPieces(_, values))
      } else of(frame, values, present)
    new SortedFrame(
      frame.memory,
      listed("sort keys", keys, None),
      listed("sorted values", column, marks),
      new RowOrder(orders)
    )
  }
}

/** Spark's order of the structs that order values make. */
private final class RowOrder(orders: Seq[SortOrder]) extends SortedRows.Order {
  private val ordering = new InterpretedOrdering(orders.zipWithIndex.map { case (order, i) =>
    order.copy(child = BoundReference(i, order.dataType, order.child.nullable))
  })

  override def compare(keys: Column, left: Long, right: Long): Int = {
    val rows = keys.asInstanceOf[ObjectColumn]
    ordering.compare(rows(left).asInstanceOf[InternalRow], rows(right).asInstanceOf[InternalRow])
  }
}
