package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{Output, ValueType}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Column, LongColumn, ObjectColumn}
import io.muntin.kernel.ranks.SortedRows
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{CreateStruct, SortOrder}
import org.apache.spark.sql.muntin.expressions.internal.{CountedRows, PlaceInOrder, ShiftedInOrder}

/**
 * Plans ranks, lead and lag by an order among the arguments: the row's place in its sorted frame.
 */
object OrderedRankPlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(place: PlaceInOrder, _) =>
      val orders = place.sortOrders
      RowsBefore(place.rows, SortedValues(orders.head.child, call.marks, orders))
    case call @ Call(shifted: ShiftedInOrder, _) =>
      val sorted = SortedValues(shifted.input, call.marks, shifted.sortOrders)
      ShiftedInOrderPlan(sorted, shifted)
  }
}

/** The place of the current row among the sorted rows of its frame. */
private final class CurrentPlace(frame: RowFrameBuilder, orders: Seq[SortOrder]) {
  private val keys =
    frame.currentColumn(CreateStruct(orders.map(_.child))).asInstanceOf[ObjectColumn]
  private val order = new RowOrder(orders)

  /** Before the rows with the current row's keys. */
  val below: SortedRows.Place = new SortedRows.Place {
    override def isAfter(sorted: Column, position: Long): Boolean = compare(sorted, position) < 0
  }

  /** After the rows with the current row's keys. */
  val upTo: SortedRows.Place = new SortedRows.Place {
    override def isAfter(sorted: Column, position: Long): Boolean = compare(sorted, position) <= 0
  }

  /** At the current row itself. */
  val before: SortedRows.Place = new SortedRows.Place {
    override def isAfter(sorted: Column, position: Long): Boolean = {
      val c = compare(sorted, position)
      c < 0 || (c == 0 && position < frame.currentRow)
    }
  }

  private def compare(sorted: Column, position: Long): Int = {
    val key = sorted.asInstanceOf[ObjectColumn](position).asInstanceOf[InternalRow]
    order.compare(key, keys(frame.currentRow).asInstanceOf[InternalRow])
  }
}

private final case class RowsBefore(counted: CountedRows, sorted: SortedValues)
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = sorted.abilitiesIn(frame)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val rowFrame = OfRow(frame)
    val place = new CurrentPlace(rowFrame, sorted.orders)
    val (rows, refresh) = sorted.build(frame)
    rows.staysInMemory()
    new Output {
      override def followsRow: Boolean = true

      override def write(target: InternalRow): Unit = {
        refresh()
        target.setLong(ordinal, count.toLong)
      }

      private def hasRow: Boolean = {
        val at = rows.countBefore(place.before)
        at < rows.size && rows.position(at) == rowFrame.currentRow
      }

      private def count: Int = counted match {
        case CountedRows.Below => rows.countBefore(place.below)
        case CountedRows.Before => rows.countBefore(place.before)
        case CountedRows.UpTo => rows.countBefore(place.upTo)
        case CountedRows.All => rows.size
        case CountedRows.Itself => if (hasRow) 1 else 0
        case CountedRows.KeysBelow => rows.distinctKeys(rows.countBefore(place.below))
      }
    }
  }
}

private final case class ShiftedInOrderPlan(sorted: SortedValues, shifted: ShiftedInOrder)
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = sorted.abilitiesIn(frame)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val rowFrame = OfRow(frame)
    val place = new CurrentPlace(rowFrame, sorted.orders)
    val distances = rowFrame.currentColumn(shifted.distance).asInstanceOf[LongColumn]
    val (rows, refresh) = sorted.build(frame)
    rows.staysInMemory()
    val writer = ValueType(sorted.input.dataType).writer(ordinal)
    new Output {
      override def followsRow: Boolean = true

      override def write(target: InternalRow): Unit = {
        refresh()
        val at =
          if (distances.isNull(rowFrame.currentRow)) -1L
          else rows.countBefore(place.before) + distances(rowFrame.currentRow)
        if (at < 0L || at >= rows.size) target.setNullAt(ordinal)
        else {
          val position = rows.position(at.toInt)
          if (rows.values.isNull(position)) target.setNullAt(ordinal)
          else writer.write(rows.values, position, target)
        }
      }
    }
  }
}

private object OfRow {
  def apply(frame: FrameBuilder): RowFrameBuilder = frame match {
    case rowFrame: RowFrameBuilder => rowFrame
    case _ => throw new IllegalStateException("it is over frames of rows")
  }
}
