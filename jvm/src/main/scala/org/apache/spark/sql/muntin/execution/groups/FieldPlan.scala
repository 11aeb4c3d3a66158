package org.apache.spark.sql.muntin.execution.groups

import java.math.{BigDecimal => JBigDecimal, BigInteger}

import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.rows.ValueType
import io.muntin.kernel.columns.{DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.fields.{DoubleAxis, FieldAxis, LongAxis, UnfitRow, WideAxis}
import io.muntin.kernel.motions.FieldMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.{
  PhysicalByteType,
  PhysicalDataType,
  PhysicalIntegerType,
  PhysicalShortType
}
import org.apache.spark.sql.muntin.expressions.FieldWindow
import org.apache.spark.sql.types._

/**
 * The motion of field_window, tumble and hop; `known` is the greatest value of all groups, if it
 * matters.
 */
final case class FieldPlan(window: FieldWindow, known: Option[Any]) extends GroupPlan {
  private def dataType = window.field.dataType

  override def sql: String = window.sql

  override def kinds: Seq[FrameKind] = window.tracks.map(t => FrameKind(FieldMotion.evicts(t)))

  override def isEndless: Boolean = window.steps.size.isEmpty

  override def build(frame: GroupFrame): GroupWindowing = build(frame, 0)

  override def build(frame: GroupFrame, track: Int): GroupWindowing = {
    val values = frame.arriving(window.counted(window.field))
    val reach = frame.arriving(window.counted(window.reach.getOrElse(window.field)))
    val field = window.shown
    val parameter = window.kind.parameter
    (values, reach) match {
      case (longs: LongColumn, last: LongColumn) =>
        val units = window.units()
        val greatest = known.fold(Long.MinValue)(value => units.of(asLong(value)))
        val axis = new LongAxis(field, longs, last, window.scaled, greatest, parameter, units)
        new LongWindows(axis, track)
      case (wide: Int128Column, last: Int128Column) =>
        val most = BigInteger.TEN.pow(dataType.asInstanceOf[DecimalType].precision)
        val greatest = known.map(_.asInstanceOf[Decimal].toJavaBigDecimal.unscaledValue)
        new WideWindows(
          new WideAxis(field, wide, last, window.unscaled, greatest, most, parameter),
          track
        )
      case (doubles: DoubleColumn, _) =>
        val greatest = known.fold(Double.NegativeInfinity)(_.asInstanceOf[Double])
        new DoubleWindows(
          new DoubleAxis(field, doubles, window.scaled, window.scale, greatest, parameter),
          track
        )
      case (other, _) => throw new IllegalStateException(s"no field of $other")
    }
  }

  private def asLong(value: Any): Long = value match {
    case d: Decimal => d.toUnscaledLong
    case n: Number => n.longValue
    case other => throw new IllegalStateException(s"no field's value: $other")
  }

  private abstract class Windows(val axis: FieldAxis, track: Int) extends GroupWindowing {
    override val motion: FieldMotion = new FieldMotion(axis, window.tracks(track), window.drains)

    override def isBefore(other: GroupWindowing): Boolean =
      axis.isBefore(other.asInstanceOf[Windows].axis)

    override def write(target: InternalRow): Unit = {
      writeOpening(target)
      if (window.steps.size.isDefined) writeClosing(target) else target.setNullAt(1)
      if (window.steps.every.isDefined) {
        if (axis.isLast && window.steps.size.isEmpty) target.setNullAt(2) else writePoint(target)
      }
    }

    protected def writeOpening(target: InternalRow): Unit
    protected def writeClosing(target: InternalRow): Unit
    protected def writePoint(target: InternalRow): Unit
  }

  private final class LongWindows(own: LongAxis, track: Int) extends Windows(own, track) {
    private val writers = (0 to 2).map(ValueType.longWriter(dataType, _))
    private val (lowest, highest) = PhysicalDataType(dataType) match {
      case PhysicalByteType => (Byte.MinValue.toLong, Byte.MaxValue.toLong)
      case PhysicalShortType => (Short.MinValue.toLong, Short.MaxValue.toLong)
      case PhysicalIntegerType => (Int.MinValue.toLong, Int.MaxValue.toLong)
      // If the type has no time for a unit's start, the unit begins at the type's limit.
      case _ if window.calendar.isDefined => (Long.MinValue + 1L, Long.MaxValue - 1L)
      case _ => (Long.MinValue, Long.MaxValue)
    }

    override protected def writeOpening(target: InternalRow): Unit = write(0, own.open, target)
    override protected def writeClosing(target: InternalRow): Unit = write(1, own.close, target)
    override protected def writePoint(target: InternalRow): Unit = write(2, own.emit, target)

    private def write(field: Int, value: Long, target: InternalRow): Unit = {
      if (value < lowest || value > highest) {
        throw new UnfitRow(
          window.kind.parameter,
          s"the window from ${own.open} to ${own.close} goes beyond what ${dataType.sql} holds; " +
            s"cast ${window.shown} to a wider type"
        )
      }
      writers(field).write(value, target)
    }
  }

  private final class WideWindows(own: WideAxis, track: Int) extends Windows(own, track) {
    override protected def writeOpening(target: InternalRow): Unit = write(0, own.open, target)
    override protected def writeClosing(target: InternalRow): Unit = write(1, own.close, target)
    override protected def writePoint(target: InternalRow): Unit = write(2, own.emit, target)

    private def write(field: Int, value: BigInteger, target: InternalRow): Unit = {
      val d = dataType.asInstanceOf[DecimalType]
      val decimal = Decimal(new JBigDecimal(value, d.scale), d.precision, d.scale)
      target.setDecimal(field, decimal, d.precision)
    }
  }

  private final class DoubleWindows(own: DoubleAxis, track: Int) extends Windows(own, track) {
    override protected def writeOpening(target: InternalRow): Unit = target.setDouble(0, own.open)
    override protected def writeClosing(target: InternalRow): Unit = target.setDouble(1, own.close)
    override protected def writePoint(target: InternalRow): Unit = target.setDouble(2, own.emit)
  }
}
