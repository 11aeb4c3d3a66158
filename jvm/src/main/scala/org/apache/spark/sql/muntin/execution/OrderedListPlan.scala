package org.apache.spark.sql.muntin.execution

import io.muntin.kernel._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/** listagg WITHIN GROUP: the values of the frame in an order of their own, equals in that of the rows. */
private final case class OrderedList(
    input: Expression,
    orders: Seq[SortOrder],
    values: ByteValues
) extends FunctionPlan {
  override def accumulator: String = "sorted positions"

  override def piecedAccumulator: String = "positions sorted anew"

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val key = ("sorted", input.canonicalized, orders.map(_.canonicalized))
    val rows =
      if (frame.hasHoles) frame.shared(key)(sorted(frame))
      else frame.accumulator(key)(sorted(frame))
    val hasHoles = frame.hasHoles
    val source = values.source(rows.values)
    val delimiter = values.delimiter.toArray
    new Output {
      override def write(target: InternalRow): Unit =
        if (rows.size == 0) target.setNullAt(ordinal)
        else {
          if (hasHoles) rows.forget()
          rows.settle()
          val bytes = new Array[Byte](length)
          var next = 0
          var i = 0
          while (i < rows.size) {
            if (i > 0) {
              System.arraycopy(delimiter, 0, bytes, next, delimiter.length)
              next += delimiter.length
            }
            val position = rows.position(i)
            source.copy(position, bytes, next)
            next += source.length(position)
            i += 1
          }
          target.update(ordinal, values.slice(bytes, 0, bytes.length))
        }

      private def length: Int = {
        var sum = delimiter.length.toLong * (rows.size - 1)
        var i = 0
        while (i < rows.size) {
          sum += source.length(rows.position(i))
          i += 1
        }
        Math.toIntExact(sum)
      }
    }
  }

  private def sorted(frame: FrameBuilder): SortedRows = {
    val keys = frame.column(CreateStruct(orders.map(_.child)))
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
    val sortKeys = listed("sort keys", keys, None)
    new SortedRows(
      frame.memory,
      sortKeys,
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
