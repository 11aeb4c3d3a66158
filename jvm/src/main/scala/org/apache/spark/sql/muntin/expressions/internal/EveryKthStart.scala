package org.apache.spark.sql.muntin.expressions.internal

import java.util.TreeMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.{GenericArrayData, TypeUtils}
import org.apache.spark.sql.muntin.aggregates.FieldsAggregate
import org.apache.spark.sql.types._

/**
 * The values that `validity` with dump_at needs from the rows of all groups: the distinct starts of
 * the k-th, 2k-th, … row in the order of starts (`child`), and the last start.
 *
 * Starts are counted by value. So partials can be merged in any order, and memory grows with the
 * number of distinct starts.
 */
final case class EveryKthStart(
    child: Expression,
    k: Int,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends FieldsAggregate[TreeMap[Any, java.lang.Long]]
    with UnaryLike[Expression] {
  private type Counts = TreeMap[Any, java.lang.Long]

  override def prettyName: String = "known_starts"

  override def toAggString(isDistinct: Boolean): String = s"$prettyName($child, $k)"

  override def dataType: DataType = StructType(
    Seq(
      StructField("cuts", ArrayType(child.dataType, containsNull = false)),
      StructField("last", child.dataType)
    )
  )

  override def nullable: Boolean = false

  override def createAggregationBuffer(): Counts =
    new TreeMap(TypeUtils.getInterpretedOrdering(child.dataType))

  override def update(counts: Counts, row: InternalRow): Counts = {
    val start = child.eval(row)
    if (start != null) add(counts, start, 1L)
    counts
  }

  override def merge(counts: Counts, other: Counts): Counts = {
    other.forEach((start, n) => add(counts, start, n))
    counts
  }

  private def add(counts: Counts, start: Any, n: Long): Unit =
    if (counts.containsKey(start)) counts.put(start, counts.get(start) + n): Unit
    else counts.put(InternalRow.copyValue(start), n): Unit

  override def eval(counts: Counts): Any = {
    val cuts = Array.newBuilder[Any]
    var before = 0L
    counts.forEach { (start, n) =>
      if ((before + n) / k > before / k) cuts += start
      before += n
    }
    InternalRow(new GenericArrayData(cuts.result()), if (counts.isEmpty) null else counts.lastKey)
  }

  override protected def fieldTypes: Seq[DataType] =
    Seq(ArrayType(child.dataType), ArrayType(LongType))

  override protected def fieldsOf(counts: Counts): InternalRow = InternalRow(
    new GenericArrayData(counts.keySet.toArray),
    new GenericArrayData(counts.values.toArray)
  )

  override protected def bufferOf(fields: InternalRow): Counts = {
    val numbers = fields.getArray(1)
    val counts = createAggregationBuffer()
    fields.getArray(0).foreach(
      child.dataType,
      (i, start) => add(counts, start, numbers.getLong(i))
    )
    counts
  }

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildInternal(newChild: Expression): EveryKthStart =
    copy(child = newChild)
}
