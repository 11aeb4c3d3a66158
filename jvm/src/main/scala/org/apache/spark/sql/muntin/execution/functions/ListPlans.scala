package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{ColumnArray, Output}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Column, ObjectColumn}
import io.muntin.kernel.lists.{
  Concatenation,
  LinkedList,
  LinkedRows,
  ListOfPieces,
  ListedRows,
  RunningList,
  SlidingList
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.muntin.expressions.common.InOrder
import org.apache.spark.sql.muntin.spark.{CollectListCall, ListAggCall}
import org.apache.spark.sql.types.{BinaryType, DataType}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Plans collect_list, array_agg, listagg, string_agg: the values of the frame, side by side. */
object ListPlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(CollectListCall(input, ignoreNulls), _) =>
      if (ignoreNulls) {
        val masked = call.masked(input)
        CollectedList(masked, Some(masked))
      } else CollectedList(input, call.marks)
    case call @ Call(ordered: InOrder, _) =>
      val sorted =
        if (!ordered.ignoreNulls) SortedValues(ordered.input, call.marks, ordered.sortOrders)
        else {
          val masked = call.masked(ordered.input)
          SortedValues(masked, Some(masked), ordered.sortOrders)
        }
      ordered.place.fold[AggregatePlan](OrderedArray(sorted))(OrderedPlace(sorted, _))
    case call @ Call(ListAggCall(input, delimiter, orders), _) =>
      val bytes = ByteValues.of(input.dataType, delimiter.eval())
      if (orders.isEmpty) ConcatenatedList(call.masked(input), bytes)
      else OrderedList(call.masked(input), orders, bytes)
  }

  /** Returns the abilities of the accumulators of `rows`. */
  def abilities(frame: FrameKind): Abilities =
    if (frame.isScattered) LinkedRows.abilities
    else if (frame.hasHoles) ListedRows.abilities.byPiece
    else ListedRows.abilities

  /**
   * Returns the rows of a frame in which `present` is not null, or all rows; driven by its motion.
   */
  def rows(frame: FrameBuilder, input: Expression, present: Option[Expression]): ListedRows =
    if (frame.slots.isDefined) new LinkedList(linked(frame, present), frame.column(input))
    else inOrder(frame, input, present)

  /** Returns these rows in slots: one list for all functions that read them. */
  def linked(frame: FrameBuilder, present: Option[Expression]): LinkedRows = {
    val marks = present.filter(_.nullable)
    frame.accumulator(("linked", marks.map(_.canonicalized))) {
      new LinkedRows(frame.memory, marks.map(frame.column))
    }
  }

  private def inOrder(
      frame: FrameBuilder,
      input: Expression,
      present: Option[Expression]
  ): ListedRows = {
    val values = frame.column(input)
    val marks = present.map(frame.column).filter(_.isNullable)
    val key = ("list", input.canonicalized, present.map(_.canonicalized))
    frame.accumulatorOfPieces[ListedRows, ListedRows](key) { piece =>
      if (piece.evicts) new SlidingList(frame.memory, values, marks)
      else new RunningList(values, marks)
    }(new ListOfPieces(_, values))
  }
}

private final case class CollectedList(input: Expression, present: Option[Expression])
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(ListPlans.abilities(frame))

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val rows = ListPlans.rows(frame, input, present)
    rows.staysInMemory()
    val list = new ColumnArray(rows.values, input.dataType) {
      override def numElements(): Int = rows.size
      override protected def position(i: Int): Long = rows.position(i)
    }
    new Output {
      override def write(target: InternalRow): Unit = target.update(ordinal, list)
    }
  }
}

private final case class ConcatenatedList(input: Expression, values: ByteValues)
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(
    if (frame.isScattered) LinkedRows.abilities
    else if (frame.hasHoles) Concatenation.abilities.byPiece
    else Concatenation.abilities
  )

  override def build(frame: FrameBuilder, ordinal: Int): Output =
    if (frame.slots.isDefined) {
      new BytesOutput(values, ListPlans.rows(frame, input, Some(input)), ordinal)
    } else slices(frame, ordinal)

  private def slices(frame: FrameBuilder, ordinal: Int): Output = {
    val column = frame.column(input)
    val delimiter = values.delimiter.toArray
    val lists = frame.pieces.map { piece =>
      piece.accumulator(("concatenation", input.canonicalized, values)) {
        new Concatenation(frame.memory, column, values.source(column), delimiter, piece.evicts)
      }
    }
    lists match {
      case Seq(list) => new Output {
          override def write(target: InternalRow): Unit =
            if (list.count == 0L) target.setNullAt(ordinal)
            else target.update(ordinal, values.slice(list.bytes, list.start, list.length))
        }
      case several => joined(several.toArray, delimiter, ordinal)
    }
  }

  /** Returns the concatenated texts of the pieces of a frame. */
  private def joined(lists: Array[Concatenation], delimiter: Array[Byte], ordinal: Int): Output =
    new Output {
      override def write(target: InternalRow): Unit = {
        var size = -delimiter.length.toLong
        lists.foreach(l => if (l.count > 0L) size += l.length + delimiter.length)
        if (lists.forall(_.count == 0L)) target.setNullAt(ordinal)
        else {
          val bytes = new Array[Byte](Math.toIntExact(size))
          var next = 0
          lists.foreach { list =>
            if (list.count > 0L) {
              if (next > 0 || list.ne(firstFilled)) {
                System.arraycopy(delimiter, 0, bytes, next, delimiter.length)
                next += delimiter.length
              }
              System.arraycopy(list.bytes, list.start, bytes, next, list.length)
              next += list.length
            }
          }
          target.update(ordinal, values.slice(bytes, 0, bytes.length))
        }
      }

      private def firstFilled: Concatenation = lists.find(_.count > 0L).orNull
    }
}

/** Writes the listed values, concatenated and copied for each result. */
private class BytesOutput(values: ByteValues, rows: ListedRows, ordinal: Int) extends Output {
  rows.staysInMemory()
  private val source = values.source(rows.values)
  private val delimiter = values.delimiter.toArray

  /** Prepares the rows, before they are read. */
  protected def refresh(): Unit = ()

  final override def write(target: InternalRow): Unit =
    if (rows.size == 0) target.setNullAt(ordinal)
    else {
      refresh()
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

/** Strings or binaries as bytes, and the delimiter between them. */
private final case class ByteValues(isBinary: Boolean, delimiter: Seq[Byte]) {

  def source(column: Column): Concatenation.Source = {
    val objects = column.asInstanceOf[ObjectColumn]
    if (isBinary) new Concatenation.Source {
      private def at(position: Long) = objects(position).asInstanceOf[Array[Byte]]

      override def length(position: Long): Int = at(position).length

      override def copy(position: Long, target: Array[Byte], offset: Int): Unit =
        System.arraycopy(at(position), 0, target, offset, at(position).length)
    }
    else new Concatenation.Source {
      private def at(position: Long) = objects(position).asInstanceOf[UTF8String]

      override def length(position: Long): Int = at(position).numBytes

      override def copy(position: Long, target: Array[Byte], offset: Int): Unit =
        at(position).writeToMemory(target, Platform.BYTE_ARRAY_OFFSET.toLong + offset)
    }
  }

  /** Returns a value in Spark's form: a string is a view of the bytes. */
  def slice(bytes: Array[Byte], start: Int, length: Int): AnyRef =
    if (isBinary) java.util.Arrays.copyOfRange(bytes, start, start + length)
    else UTF8String.fromBytes(bytes, start, length)
}

private object ByteValues {
  def of(dataType: DataType, delimiter: Any): ByteValues = {
    val bytes = delimiter match {
      case string: UTF8String => string.getBytes
      case binary: Array[Byte] => binary
      case _ => Array.emptyByteArray
    }
    ByteValues(dataType == BinaryType, bytes.toIndexedSeq)
  }
}
