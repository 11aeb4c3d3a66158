package org.apache.spark.sql.muntin.execution.groups

import java.math.{BigDecimal => JBigDecimal, BigInteger}

import org.apache.spark.sql.muntin.execution.rows.ValueType
import io.muntin.kernel.columns.{DoubleColumn, Int128Column, LongColumn}
import io.muntin.kernel.fields.{
  DoubleAxis,
  FieldAxis,
  InvalidWindowRowException,
  LongAxis,
  WideAxis
}
import io.muntin.kernel.motions.FieldMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.{
  PhysicalByteType,
  PhysicalDataType,
  PhysicalIntegerType,
  PhysicalShortType
}
import org.apache.spark.sql.types._

/** Runs the windows of field_window, tumble and hop in a task, for one track. */
private[groups] object FieldWindowing {
  def apply(plan: FieldWindowPlan, frame: GroupFrame, track: Int): GroupWindowing = {
    import plan.window
    import window.{field, kind}
    val globalValue = frame.allGroups.globalValue
    val drains = window.drains && !frame.allGroups.isStream
    def motion(axis: FieldAxis) = new FieldMotion(axis, window.tracks(track), drains)
    (frame.arriving(window.counted(field)), frame.arriving(window.counted(plan.last))) match {
      case (longs: LongColumn, last: LongColumn) =>
        val units = window.units()
        val greatest = globalValue.fold(Long.MinValue)(value => units.of(asLong(value)))
        val axis =
          new LongAxis(plan.shown, longs, last, window.scaled, greatest, kind.parameter, units)
        new LongWindows(plan, axis, motion(axis))
      case (wide: Int128Column, last: Int128Column) =>
        val most = BigInteger.TEN.pow(field.dataType.asInstanceOf[DecimalType].precision)
        val greatest = globalValue.map(_.asInstanceOf[Decimal].toJavaBigDecimal.unscaledValue)
        val axis =
          new WideAxis(plan.shown, wide, last, window.unscaled, greatest, most, kind.parameter)
        new WideWindows(plan, axis, motion(axis))
      case (doubles: DoubleColumn, _) =>
        val greatest = globalValue.fold(Double.NegativeInfinity)(_.asInstanceOf[Double])
        val axis = new DoubleAxis(
          plan.shown,
          doubles,
          window.scaled,
          window.scale,
          greatest,
          kind.parameter
        )
        new DoubleWindows(plan, axis, motion(axis))
      case (other, _) => throw new IllegalStateException(s"no field of $other")
    }
  }

  private def asLong(value: Any): Long = value match {
    case d: Decimal => d.toUnscaledLong
    case n: Number => n.longValue
    case other => throw new IllegalStateException(s"no field's value: $other")
  }

  // The fields of a window.
  private final val Opening = 0
  private final val Closing = 1
  private final val Point = 2

  private abstract class Windows(
      plan: FieldWindowPlan,
      val axis: FieldAxis,
      override val motion: FieldMotion
  ) extends GroupWindowing {
    private val hasSize = plan.window.steps.size.isDefined
    private val hasPoints = plan.window.steps.every.isDefined

    protected final def dataType: DataType = plan.window.field.dataType

    override def isBefore(other: GroupWindowing): Boolean =
      axis.isBefore(other.asInstanceOf[Windows].axis)

    override def write(target: InternalRow): Unit = {
      write(Opening, target)
      if (hasSize) write(Closing, target) else target.setNullAt(Closing)
      if (hasPoints) {
        if (axis.isLast && !hasSize) target.setNullAt(Point) else write(Point, target)
      }
    }

    protected def write(field: Int, target: InternalRow): Unit
  }

  private final class LongWindows(plan: FieldWindowPlan, own: LongAxis, by: FieldMotion)
      extends Windows(plan, own, by) {
    private val writers = (0 to 2).map(ValueType.longWriter(dataType, _))
    private val (lowest, highest) = PhysicalDataType(dataType) match {
      case PhysicalByteType => (Byte.MinValue.toLong, Byte.MaxValue.toLong)
      case PhysicalShortType => (Short.MinValue.toLong, Short.MaxValue.toLong)
      case PhysicalIntegerType => (Int.MinValue.toLong, Int.MaxValue.toLong)
      // If the type has no time for a unit's start, the unit begins at the type's limit.
      case _ if plan.window.calendar.isDefined => (Long.MinValue + 1L, Long.MaxValue - 1L)
      case _ => (Long.MinValue, Long.MaxValue)
    }

    override protected def write(field: Int, target: InternalRow): Unit = {
      val value = if (field == Opening) own.open else if (field == Closing) own.close else own.emit
      if (value < lowest || value > highest) {
        throw new InvalidWindowRowException(
          "MUNTIN_WINDOW_OUT_OF_RANGE",
          Map(
            "field" -> plan.shown,
            "start" -> own.open.toString,
            "end" -> own.close.toString,
            "type" -> dataType.sql
          )
        )
      }
      writers(field).write(value, target)
    }
  }

  private final class WideWindows(plan: FieldWindowPlan, own: WideAxis, by: FieldMotion)
      extends Windows(plan, own, by) {
    override protected def write(field: Int, target: InternalRow): Unit = {
      val value = if (field == Opening) own.open else if (field == Closing) own.close else own.emit
      val d = dataType.asInstanceOf[DecimalType]
      val decimal = Decimal(new JBigDecimal(value, d.scale), d.precision, d.scale)
      target.setDecimal(field, decimal, d.precision)
    }
  }

  private final class DoubleWindows(plan: FieldWindowPlan, own: DoubleAxis, by: FieldMotion)
      extends Windows(plan, own, by) {
    override protected def write(field: Int, target: InternalRow): Unit = {
      val value = if (field == Opening) own.open else if (field == Closing) own.close else own.emit
      target.setDouble(field, value)
    }
  }
}
