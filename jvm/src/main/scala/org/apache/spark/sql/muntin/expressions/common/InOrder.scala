package org.apache.spark.sql.muntin.expressions.common

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.muntin.aggregates.FieldsAggregate
import org.apache.spark.sql.types.{ArrayType, DataType, StructField, StructType}

/** The direction of a sort key, and the position of its nulls. */
final case class KeyOrder(direction: SortDirection, nulls: NullOrdering) {
  def of(key: Expression): SortOrder = SortOrder(key, direction, nulls, Nil)
}

/**
 * array_agg(x ORDER BY y), first_value(x ORDER BY y) and similar aggregates: the values of a group
 * in their own order, or the value at a position in it. Rows with equal keys keep their input
 * order. Muntin's operator keeps the values of a frame sorted.
 *
 * @param place
 *   the position of the result, from 1, or from -1 at the end; None for an array of all values
 */
final case class InOrder(
    function: String,
    input: Expression,
    keys: Seq[Expression],
    orders: Seq[KeyOrder],
    place: Option[Int],
    ignoreNulls: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends FieldsAggregate[mutable.ArrayBuffer[InternalRow]] {
  override def children: Seq[Expression] = input +: keys

  def sortOrders: Seq[SortOrder] = keys.zip(orders).map { case (key, order) => order.of(key) }

  override def prettyName: String = function

  private def list: ArrayType = ArrayType(input.dataType, containsNull = !ignoreNulls)

  override def dataType: DataType = if (place.isEmpty) list else input.dataType

  override def nullable: Boolean = place.isDefined

  override def sql(isDistinct: Boolean): String = {
    val number = place.filter(_ => function == "nth_value").fold("")(n => s", $n")
    s"$function(${if (isDistinct) "DISTINCT " else ""}${input.sql}$number ORDER BY " +
      s"${sortOrders.map(_.sql).mkString(", ")})"
  }

  override def sql: String = sql(isDistinct = false)

  override def toAggString(isDistinct: Boolean): String = sql(isDistinct)

  override def toString: String = sql

  override def createAggregationBuffer(): mutable.ArrayBuffer[InternalRow] =
    mutable.ArrayBuffer.empty

  override def update(
      rows: mutable.ArrayBuffer[InternalRow],
      row: InternalRow
  ): mutable.ArrayBuffer[InternalRow] = {
    val value = input.eval(row)
    if (value == null && ignoreNulls) rows
    else {
      val all = (keys.map(_.eval(row)) :+ value).map(InternalRow.copyValue)
      rows += new GenericInternalRow(all.toArray[Any])
    }
  }

  override def merge(
      rows: mutable.ArrayBuffer[InternalRow],
      later: mutable.ArrayBuffer[InternalRow]
  ): mutable.ArrayBuffer[InternalRow] = rows ++= later

  @transient private lazy val ordering = new InterpretedOrdering(
    orders.zip(keys).zipWithIndex.map { case ((order, key), i) =>
      order.of(BoundReference(i, key.dataType, nullable = true))
    }
  )

  override def eval(rows: mutable.ArrayBuffer[InternalRow]): Any = {
    // Sorting is stable.
    val sorted = rows.sorted(ordering)
    def value(i: Int): Any = sorted(i).get(keys.size, input.dataType)
    place match {
      case None => new GenericArrayData(Array.tabulate[Any](sorted.size)(value))
      case Some(n) =>
        val index = if (n > 0) n - 1 else sorted.size + n
        if (index < 0 || index >= sorted.size) null else value(index)
    }
  }

  private def rowType: StructType = StructType(
    (keys :+ input).zipWithIndex.map { case (e, i) => StructField(s"_$i", e.dataType) }
  )

  override protected def fieldTypes: Seq[DataType] =
    Seq(ArrayType(rowType, containsNull = false))

  override protected def fieldsOf(rows: mutable.ArrayBuffer[InternalRow]): InternalRow =
    InternalRow(new GenericArrayData(rows.toArray[Any]))

  override protected def bufferOf(fields: InternalRow): mutable.ArrayBuffer[InternalRow] = {
    val stored = fields.getArray(0)
    val rows = createAggregationBuffer()
    var i = 0
    while (i < stored.numElements()) {
      rows += stored.getStruct(i, keys.size + 1).copy()
      i += 1
    }
    rows
  }

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): InOrder =
    copy(input = newChildren.head, keys = newChildren.tail.toVector)
}
