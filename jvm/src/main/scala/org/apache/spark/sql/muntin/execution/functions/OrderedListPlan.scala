package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{ColumnArray, Output, ValueType}
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

/** The values of a frame in an order among the arguments; equal values in the order of the rows. */
private final case class SortedValues(
    input: Expression,
    present: Option[Expression],
    orders: Seq[SortOrder]
) {
  def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    if (frame.isScattered) Seq(LinkedRows.abilities, SortedFrame.abilities)
    else if (frame.hasHoles) Seq(SortedFrame.abilities.withName("positions sorted again"))
    else Seq(SortedFrame.abilities)

  private def key =
    ("sorted", input.canonicalized, present.map(_.canonicalized), orders.map(_.canonicalized))

  private def sortKey: Expression = CreateStruct(orders.map(_.child))

  /** Returns the sorted rows of a frame, and a function to call before they are read. */
  def build(frame: FrameBuilder): (SortedRows, () => Unit) =
    if (frame.slots.isDefined) {
      val sorted = frame.accumulator(key) {
        val rows = new LinkedList(ListPlans.linked(frame, present), frame.column(input))
        new SortedSlots(frame.memory, frame.column(sortKey), rows, new RowOrder(orders))
      }
      (sorted, () => sorted.refresh())
    } else if (frame.hasHoles) {
      val sorted = frame.shared(key)(inFrame(frame))
      def recompute(): Unit = {
        sorted.forget()
        sorted.refresh()
      }
      (sorted, () => recompute())
    } else {
      val sorted = frame.accumulator(key)(inFrame(frame))
      (sorted, () => sorted.refresh())
    }

  private def inFrame(frame: FrameBuilder): SortedFrame = {
    val keys = frame.column(sortKey)
    val column = frame.column(input)
    val marks = present.map(frame.column).filter(_.isNullable)
    def of(piece: FrameBuilder, values: Column, present: Option[Column]): ListedRows =
      if (piece.evicts) new SlidingList(frame.memory, values, present)
      else new RunningList(values, marks)
    def listed(name: String, values: Column, present: Option[Column]): ListedRows =
      if (frame.hasHoles) {
        val shared = (name, this.present.map(_.canonicalized), values)
        frame.accumulatorOfPieces[ListedRows, ListedRows](shared) {
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

/** listagg WITHIN GROUP. */
private final case class OrderedList(
    input: Expression,
    orders: Seq[SortOrder],
    values: ByteValues
) extends AggregatePlan {
  private def sorted = SortedValues(input, Some(input), orders)

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = sorted.abilitiesIn(frame)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val (rows, refreshing) = sorted.build(frame)
    new BytesOutput(values, rows, ordinal) {
      override protected def refresh(): Unit = refreshing()
    }
  }
}

/** array_agg(x ORDER BY y). */
private final case class OrderedArray(sorted: SortedValues) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = sorted.abilitiesIn(frame)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val (rows, refresh) = sorted.build(frame)
    rows.staysInMemory()
    val list = new ColumnArray(rows.values, sorted.input.dataType) {
      override def numElements(): Int = rows.size
      override protected def position(i: Int): Long = rows.position(i)
    }
    new Output {
      override def write(target: InternalRow): Unit = {
        refresh()
        target.update(ordinal, list)
      }
    }
  }
}

/** first_value(x ORDER BY y), last_value and nth_value: the value at a place in the order. */
private final case class OrderedPlace(sorted: SortedValues, place: Int) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = sorted.abilitiesIn(frame)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val (rows, refresh) = sorted.build(frame)
    rows.staysInMemory()
    val writer = ValueType(sorted.input.dataType).writer(ordinal)
    new Output {
      override def write(target: InternalRow): Unit = {
        val index = if (place > 0) place - 1 else rows.size + place
        if (index < 0 || index >= rows.size) target.setNullAt(ordinal)
        else {
          refresh()
          val position = rows.position(index)
          if (rows.values.isNull(position)) target.setNullAt(ordinal)
          else writer.write(rows.values, position, target)
        }
      }
    }
  }
}

/** Compares as Spark orders structs of the order values. */
private final class RowOrder(orders: Seq[SortOrder]) extends SortedRows.Order {
  private val ordering = new InterpretedOrdering(orders.zipWithIndex.map { case (order, i) =>
    order.copy(child = BoundReference(i, order.dataType, order.child.nullable))
  })

  override def compare(keys: Column, left: Long, right: Long): Int = {
    val rows = keys.asInstanceOf[ObjectColumn]
    compare(rows(left).asInstanceOf[InternalRow], rows(right).asInstanceOf[InternalRow])
  }

  def compare(left: InternalRow, right: InternalRow): Int = ordering.compare(left, right)
}
