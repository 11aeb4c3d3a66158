package org.apache.spark.sql.muntin.partials

import java.util

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, TypeUtils}
import org.apache.spark.sql.muntin.aggregates.FieldsAggregate
import org.apache.spark.sql.types._

/** The least value, or with `sign` 1 the greatest; among equal values the first. */
final case class ExtremePartialField(name: String, dataType: DataType, sign: Int)
    extends PartialField {
  private lazy val ordering = TypeUtils.getInterpretedOrdering(dataType)

  override def isSmall: Boolean = true

  override def start(): MergeableFieldState = new MergeableFieldState {
    private var best: Any = _

    override def update(inputs: Inputs): Unit = if (inputs.hasX) merge(inputs.x)

    override def merge(stored: Any): Unit =
      if (best == null || sign * ordering.compare(stored, best) > 0) {
        best = InternalRow.copyValue(stored)
      }

    override def value: Any = best
  }
}

/**
 * The distinct values, sorted, each with its frequency. One of several equal values represents all.
 */
final case class ValuesPartialField(valueType: DataType, frequency: Inputs => Long)
    extends PartialField {
  override def name: String = "values"

  override val dataType: DataType = ArrayType(
    new StructType().add("value", valueType).add("count", LongType, nullable = false),
    containsNull = false
  )

  private lazy val ordering = TypeUtils.getInterpretedOrdering(valueType)

  // One zero, one NaN.
  private lazy val normalized: Any => Any =
    NormalizeFloatingNumbers.normalize(BoundReference(0, valueType, nullable = true)) match {
      case _: BoundReference => InternalRow.copyValue
      case expression =>
        val projection = UnsafeProjection.create(expression)
        value => InternalRow.copyValue(projection(InternalRow(value)).get(0, valueType))
    }

  override def start(): ValuesState = new ValuesState(ordering, normalized, frequency, valueType)
}

final class ValuesState(
    ordering: Ordering[Any],
    normalized: Any => Any,
    frequency: Inputs => Long,
    valueType: DataType
) extends MergeableFieldState {
  private val counts = new util.TreeMap[Any, Array[Long]](ordering)
  private var newest: Any = _

  override def update(inputs: Inputs): Unit = if (inputs.hasX) {
    val times = frequency(inputs)
    if (times > 0L) add(inputs.x, times)
  }

  override def merge(stored: Any): Unit = {
    val array = stored.asInstanceOf[ArrayData]
    var i = 0
    while (i < array.numElements()) {
      val pair = array.getStruct(i, 2)
      add(pair.get(0, valueType), pair.getLong(1))
      i += 1
    }
  }

  private def add(value: Any, times: Long): Unit = {
    val known = counts.get(value)
    if (known != null) known(0) += times
    else {
      newest = normalized(value)
      counts.put(newest, Array(times)): Unit
    }
  }

  /** Returns the values in their order, with their counts. */
  def sorted: Iterator[(Any, Long)] =
    counts.entrySet.iterator.asScala.map(e => (e.getKey, e.getValue.apply(0)))

  def size: Int = counts.size

  /** Returns the last value that was new. */
  def last: Any = newest

  def least: Any = if (counts.isEmpty) null else counts.firstKey

  def greatest: Any = if (counts.isEmpty) null else counts.lastKey

  override def value: Any =
    new GenericArrayData(sorted.map { case (v, n) => InternalRow(v, n) }.toArray[Any])
}

/** The values in the order of arrival, in one list. */
final case class ListPartialField(name: String, elementType: DataType, withNulls: Boolean)
    extends PartialField {
  override val dataType: DataType = ArrayType(elementType, withNulls)

  override def start(): ListState = new ListState(elementType, withNulls)
}

final class ListState(elementType: DataType, withNulls: Boolean) extends MergeableFieldState {
  private val list = mutable.ArrayBuffer.empty[Any]

  def values: Iterable[Any] = list

  override def update(inputs: Inputs): Unit =
    if (withNulls || inputs.hasX) list += InternalRow.copyValue(inputs.x)

  override def merge(stored: Any): Unit =
    FieldsAggregate.append(stored.asInstanceOf[ArrayData], elementType, list): Unit

  override def value: Any = new GenericArrayData(list.toArray[Any])
}

/**
 * The distinct values in the order in which they first occur; if nulls are kept, null is a value.
 */
final case class SetPartialField(name: String, elementType: DataType, withNulls: Boolean)
    extends PartialField {
  override val dataType: DataType = ArrayType(elementType, withNulls)

  private lazy val values = ValuesPartialField(elementType, _ => 1L)

  override def start(): MergeableFieldState = new MergeableFieldState {
    private val known = values.start()
    private val list = mutable.ArrayBuffer.empty[Any]
    private val inputs = new Inputs
    private var hasNull = false

    override def update(row: Inputs): Unit = add(row.x)

    override def merge(stored: Any): Unit =
      stored.asInstanceOf[ArrayData].foreach(elementType, (_, value) => add(value))

    private def add(value: Any): Unit =
      if (value == null) {
        if (withNulls && !hasNull) list += null
        hasNull = true
      } else {
        inputs.x = value
        val before = known.size
        known.update(inputs)
        if (known.size > before) list += known.last
      }

    override def value: Any = new GenericArrayData(list.toArray[Any])
  }
}
