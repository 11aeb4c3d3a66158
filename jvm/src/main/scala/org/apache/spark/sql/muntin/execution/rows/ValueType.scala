package org.apache.spark.sql.muntin.execution.rows

import java.io.{DataInput, DataOutput}
import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.util.Comparator

import io.muntin.kernel.columns.{Column, DoubleColumn, Int128Column, LongColumn, ObjectColumn}
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  GenericInternalRow,
  RowOrdering,
  UnsafeArrayData,
  UnsafeMapData,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.types._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.muntin.spark.ValueHash
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Reads one field of a row into a column. */
abstract class Feeder {
  def append(row: InternalRow): Unit
}

/** Writes a column's value at a position into one field of a row; never called for a null. */
abstract class Writer {
  def write(column: Column, position: Long, target: InternalRow): Unit
}

/** Writes a long into one field of a row, in the form of the field's type. */
abstract class LongWriter {
  def write(value: Long, target: InternalRow): Unit
}

/**
 * How a kernel's columns store values of a Spark type: as longs, doubles, 128-bit integers or
 * objects. It is selected once per expression, not for each row.
 */
sealed abstract class ValueType(val dataType: DataType) {

  /** Returns true if its columns hold longs. */
  def isLong: Boolean = false

  def column(memory: Memory, nullable: Boolean): Column
  def feeder(column: Column, ordinal: Int): Feeder
  def writer(ordinal: Int): Writer
}

object ValueType {
  def apply(dataType: DataType): ValueType = dataType match {
    case udt: UserDefinedType[_] => apply(udt.sqlType)
    case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => new LongValue(d)
    case d: DecimalType => new WideDecimalValue(d)
    case other =>
      PhysicalDataType(other) match {
        case PhysicalBooleanType | PhysicalByteType | PhysicalShortType | PhysicalIntegerType |
            PhysicalLongType =>
          new LongValue(other)
        case PhysicalFloatType | PhysicalDoubleType => new DoubleValue(other)
        case _ => new ObjectValue(other)
      }
  }

  /** Returns any type, stored as objects. */
  def asObject(dataType: DataType): ValueType = new ObjectValue(dataType)

  def longWriter(dataType: DataType, ordinal: Int): LongWriter = dataType match {
    case d: DecimalType =>
      new LongWriter {
        override def write(value: Long, target: InternalRow): Unit =
          target.setDecimal(ordinal, Decimal.createUnsafe(value, d.precision, d.scale), d.precision)
      }
    case other =>
      PhysicalDataType(other) match {
        case PhysicalBooleanType =>
          new LongWriter {
            override def write(value: Long, target: InternalRow): Unit =
              target.setBoolean(ordinal, value != 0L)
          }
        case PhysicalByteType =>
          new LongWriter {
            override def write(value: Long, target: InternalRow): Unit =
              target.setByte(ordinal, value.toByte)
          }
        case PhysicalShortType =>
          new LongWriter {
            override def write(value: Long, target: InternalRow): Unit =
              target.setShort(ordinal, value.toShort)
          }
        case PhysicalIntegerType =>
          new LongWriter {
            override def write(value: Long, target: InternalRow): Unit =
              target.setInt(ordinal, value.toInt)
          }
        case _ =>
          new LongWriter {
            override def write(value: Long, target: InternalRow): Unit =
              target.setLong(ordinal, value)
          }
      }
  }
}

/** Feeds a column; nullability is decided once. */
private abstract class TypedFeeder(column: Column, ordinal: Int) extends Feeder {
  private val nullable = column.isNullable

  final override def append(row: InternalRow): Unit =
    if (nullable && row.isNullAt(ordinal)) column.appendNull() else appendValue(row)

  protected def appendValue(row: InternalRow): Unit
}

private final class LongValue(dataType: DataType) extends ValueType(dataType) {
  override def isLong: Boolean = true

  override def column(memory: Memory, nullable: Boolean): Column = new LongColumn(memory, nullable)

  override def feeder(column: Column, ordinal: Int): Feeder = {
    val longs = column.asInstanceOf[LongColumn]
    dataType match {
      case d: DecimalType =>
        new TypedFeeder(column, ordinal) {
          override protected def appendValue(row: InternalRow): Unit =
            longs.append(row.getDecimal(ordinal, d.precision, d.scale).toUnscaledLong)
        }
      case other =>
        PhysicalDataType(other) match {
          case PhysicalBooleanType =>
            new TypedFeeder(column, ordinal) {
              override protected def appendValue(row: InternalRow): Unit =
                longs.append(if (row.getBoolean(ordinal)) 1L else 0L)
            }
          case PhysicalByteType =>
            new TypedFeeder(column, ordinal) {
              override protected def appendValue(row: InternalRow): Unit =
                longs.append(row.getByte(ordinal).toLong)
            }
          case PhysicalShortType =>
            new TypedFeeder(column, ordinal) {
              override protected def appendValue(row: InternalRow): Unit =
                longs.append(row.getShort(ordinal).toLong)
            }
          case PhysicalIntegerType =>
            new TypedFeeder(column, ordinal) {
              override protected def appendValue(row: InternalRow): Unit =
                longs.append(row.getInt(ordinal).toLong)
            }
          case _ =>
            new TypedFeeder(column, ordinal) {
              override protected def appendValue(row: InternalRow): Unit =
                longs.append(row.getLong(ordinal))
            }
        }
    }
  }

  override def writer(ordinal: Int): Writer = {
    val long = ValueType.longWriter(dataType, ordinal)
    new Writer {
      override def write(column: Column, position: Long, target: InternalRow): Unit =
        long.write(column.asInstanceOf[LongColumn](position), target)
    }
  }
}

private final class DoubleValue(dataType: DataType) extends ValueType(dataType) {
  private val single = dataType == FloatType

  override def column(memory: Memory, nullable: Boolean): Column =
    new DoubleColumn(memory, nullable)

  override def feeder(column: Column, ordinal: Int): Feeder = {
    val doubles = column.asInstanceOf[DoubleColumn]
    if (single) new TypedFeeder(column, ordinal) {
      override protected def appendValue(row: InternalRow): Unit =
        doubles.append(row.getFloat(ordinal).toDouble)
    }
    else new TypedFeeder(column, ordinal) {
      override protected def appendValue(row: InternalRow): Unit =
        doubles.append(row.getDouble(ordinal))
    }
  }

  override def writer(ordinal: Int): Writer =
    if (single) new Writer {
      override def write(column: Column, position: Long, target: InternalRow): Unit =
        target.setFloat(ordinal, column.asInstanceOf[DoubleColumn](position).toFloat)
    }
    else new Writer {
      override def write(column: Column, position: Long, target: InternalRow): Unit =
        target.setDouble(ordinal, column.asInstanceOf[DoubleColumn](position))
    }
}

private[execution] final class WideDecimalValue(decimal: DecimalType) extends ValueType(decimal) {
  override def column(memory: Memory, nullable: Boolean): Column =
    new Int128Column(memory, nullable)

  override def feeder(column: Column, ordinal: Int): Feeder = {
    val wide = column.asInstanceOf[Int128Column]
    new TypedFeeder(column, ordinal) {
      override protected def appendValue(row: InternalRow): Unit = {
        val value = row.getDecimal(ordinal, decimal.precision, decimal.scale)
        val unscaled = value.toJavaBigDecimal.unscaledValue
        wide.append(unscaled.shiftRight(64).longValue, unscaled.longValue)
      }
    }
  }

  override def writer(ordinal: Int): Writer = new Writer {
    override def write(column: Column, position: Long, target: InternalRow): Unit = {
      val wide = column.asInstanceOf[Int128Column]
      val unscaled = WideDecimalValue.toBigInteger(wide.high(position), wide.low(position))
      val value = new JBigDecimal(unscaled, decimal.scale)
      target.setDecimal(
        ordinal,
        Decimal(value, decimal.precision, decimal.scale),
        decimal.precision
      )
    }
  }
}

private[execution] object WideDecimalValue {
  def toBigInteger(high: Long, low: Long): BigInteger =
    new BigInteger(
      java.nio.ByteBuffer.allocate(16).putLong(high).putLong(low).array
    )
}

private final class ObjectValue(dataType: DataType) extends ValueType(dataType) {
  override def column(memory: Memory, nullable: Boolean): Column =
    new ObjectColumn(memory, nullable, new ObjectTraits(dataType))

  override def feeder(column: Column, ordinal: Int): Feeder = {
    val objects = column.asInstanceOf[ObjectColumn]
    // Found once, since finding it for each row is slow.
    val read = InternalRow.getAccessor(dataType, nullable = false)
    new TypedFeeder(column, ordinal) {
      // The row is a view of memory that is soon overwritten.
      override protected def appendValue(row: InternalRow): Unit =
        objects.append(InternalRow.copyValue(read(row, ordinal)).asInstanceOf[AnyRef])
    }
  }

  override def writer(ordinal: Int): Writer = new Writer {
    override def write(column: Column, position: Long, target: InternalRow): Unit =
      target.update(ordinal, column.asInstanceOf[ObjectColumn](position))
  }
}

/** Compares values of a type as Spark does, collations included. */
private final class ObjectTraits(dataType: DataType) extends ObjectColumn.Traits {
  private val order: Comparator[AnyRef] =
    if (RowOrdering.isOrderable(dataType)) {
      TypeUtils.getInterpretedOrdering(dataType).asInstanceOf[Ordering[AnyRef]]
    } else {
      (_: AnyRef, _: AnyRef) => throw new UnsupportedOperationException(s"$dataType has no order")
    }

  override def compare(left: AnyRef, right: AnyRef): Int = order.compare(left, right)

  private lazy val hashed = ValueHash.of(dataType)

  override def hash(value: AnyRef): Int = {
    val hash = hashed.applyAsLong(value)
    (hash ^ (hash >>> 32)).toInt
  }

  // Returns roughly how many bytes a value takes on the heap.
  override def sizeOf(value: AnyRef): Long = value match {
    case s: UTF8String => ObjectTraits.Header + s.numBytes
    case r: UnsafeRow => ObjectTraits.Header + r.getSizeInBytes
    case a: UnsafeArrayData => ObjectTraits.Header + a.getSizeInBytes
    case m: UnsafeMapData => ObjectTraits.Header + m.getSizeInBytes
    case b: Array[Byte] => ObjectTraits.Header + b.length
    case _ => 2 * ObjectTraits.Header
  }

  private lazy val projection = UnsafeProjection.create(Array(dataType))

  override def save(value: AnyRef, out: DataOutput): Unit = {
    val row = projection(new GenericInternalRow(Array[Any](value)))
    out.writeInt(row.getSizeInBytes)
    out.write(row.getBytes)
  }

  override def restore(in: DataInput): AnyRef = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    row.get(0, dataType).asInstanceOf[AnyRef]
  }
}

private object ObjectTraits {
  private val Header = 48L
}
