package org.apache.spark.sql.muntin.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.util.{GenericArrayData, TypeUtils}
import org.apache.spark.sql.muntin.aggregates.{FieldsAggregate, SmallBuffer}
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  CallStyleAggregate,
  Definition,
  Definitions,
  SqlFunction
}
import org.apache.spark.sql.types.{ArrayType, DataType}

/**
 * The values of the n rows with the greatest keys, or the least, in the order of their keys; see
 * `TopN.definition`. Among rows with equal keys the first are taken.
 *
 * Cost per row: a comparison with the last of them, if the row is not one of them.
 */
final case class TopN(
    value: Expression,
    by: Option[Expression],
    n: Int,
    isTop: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends FieldsAggregate[TopRows]
    with SmallBuffer
    with CallStyleAggregate {
  override def prettyName: String = if (isTop) TopN.name else BottomN.name

  override def children: Seq[Expression] = value +: by.toSeq

  private def key: Expression = by.getOrElse(value)

  override def dataType: DataType =
    ArrayType(value.dataType, containsNull = by.isDefined && value.nullable)

  override def nullable: Boolean = false

  override def checkInputDataTypes(): TypeCheckResult =
    TypeUtils.checkForOrderingExpr(key.dataType, prettyName)

  override protected def argumentTexts(format: Expression => String): Seq[String] =
    Seq(format(value), n.toString) ++ by.map(format)

  @transient private lazy val order: Ordering[Any] = {
    val ascending = TypeUtils.getInterpretedOrdering(key.dataType)
    if (isTop) ascending.reverse else ascending
  }

  override def createAggregationBuffer(): TopRows = new TopRows

  override def update(rows: TopRows, row: InternalRow): TopRows = {
    val k = key.eval(row)
    if (k != null && fits(rows, k)) {
      val copied = InternalRow.copyValue(k)
      put(rows, copied, if (by.isEmpty) copied else InternalRow.copyValue(value.eval(row)))
    }
    rows
  }

  private def fits(rows: TopRows, key: Any): Boolean =
    rows.keys.size < n || order.lt(key, rows.keys.last)

  /** Inserts a row after the rows that do not follow it. */
  private def put(rows: TopRows, key: Any, value: Any): Unit = {
    if (rows.keys.size == n) {
      rows.keys.remove(n - 1): Unit
      rows.values.remove(n - 1): Unit
    }
    var i = rows.keys.size
    while (i > 0 && order.lt(key, rows.keys(i - 1))) i -= 1
    rows.keys.insert(i, key)
    rows.values.insert(i, value)
  }

  override def merge(rows: TopRows, later: TopRows): TopRows = {
    var i = 0
    while (i < later.keys.size && fits(rows, later.keys(i))) {
      put(rows, later.keys(i), later.values(i))
      i += 1
    }
    rows
  }

  override def eval(rows: TopRows): Any = new GenericArrayData(rows.values.toArray)

  override protected def fieldTypes: Seq[DataType] =
    Seq(ArrayType(key.dataType), ArrayType(value.dataType, containsNull = true))

  override protected def fieldsOf(rows: TopRows): InternalRow = InternalRow(
    new GenericArrayData(rows.keys.toArray),
    new GenericArrayData(rows.values.toArray)
  )

  override protected def bufferOf(fields: InternalRow): TopRows = {
    val rows = new TopRows
    FieldsAggregate.append(fields.getArray(0), key.dataType, rows.keys): Unit
    FieldsAggregate.append(fields.getArray(1), value.dataType, rows.values): Unit
    rows
  }

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): TopN =
    copy(value = newChildren(0), by = by.map(_ => newChildren(1)))
}

/** Rows in the order of their keys: the first is the greatest, or the least. */
final class TopRows {
  private[expressions] val keys = mutable.ArrayBuffer.empty[Any]
  private[expressions] val values = mutable.ArrayBuffer.empty[Any]
}

object TopN extends SqlFunction {
  override def definition: Definition = Definitions.topN

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x, n, by) =>
      val read = new Arguments(name)
      TopN(x, read.expression(by), read.positive("n", n), isTop = true)
  }
}

object BottomN extends SqlFunction {
  override def definition: Definition = Definitions.bottomN

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x, n, by) =>
      val read = new Arguments(name)
      TopN(x, read.expression(by), read.positive("n", n), isTop = false)
  }
}
