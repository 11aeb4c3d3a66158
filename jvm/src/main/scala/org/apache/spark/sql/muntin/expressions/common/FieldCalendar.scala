package org.apache.spark.sql.muntin.expressions.common

import java.time.ZoneId

import io.muntin.calendar.{CalendarUnits, MonthsOfDates}
import io.muntin.kernel.fields.FieldUnits
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.spark.NullPropagating
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * The days or months of the calendar, as units of a field's windows.
 *
 * @param ofDates
 *   true if the field is a DATE, otherwise it is in microseconds
 * @param shift
 *   the shift of each unit's start, in microseconds of local time
 */
final case class FieldCalendar(isMonths: Boolean, ofDates: Boolean, shift: Long, zone: ZoneId) {

  /** Returns the units, for one thread. They cache recent values, so a task should reuse them. */
  def units(): FieldUnits =
    if (ofDates) new MonthsOfDates(shift / MICROS_PER_DAY)
    else new CalendarUnits(isMonths, shift, zone.getRules)
}

/** Computes the calendar unit that contains a value. */
final case class CalendarUnit(child: Expression, calendar: FieldCalendar)
    extends UnaryExpression
    with NullPropagating {
  override def dataType: DataType = LongType

  override def prettyName: String = "calendar_unit"

  @transient private lazy val units = calendar.units()

  override protected def nullSafeEval(value: Any): Any =
    units.of(value.asInstanceOf[Number].longValue)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val units = CalendarUnit.units(calendar, ctx)
    defineCodeGen(ctx, ev, value => s"$units.of((long) $value)")
  }

  override protected def withNewChildInternal(newChild: Expression): CalendarUnit =
    copy(child = newChild)
}

object CalendarUnit {
  private[expressions] def units(calendar: FieldCalendar, ctx: CodegenContext): String = {
    val reference = ctx.addReferenceObj("calendar", calendar)
    ctx.addMutableState(classOf[FieldUnits].getName, "units", v => s"$v = $reference.units();")
  }
}

/** Computes the last value of a calendar unit. */
final case class CalendarUnitLast(child: Expression, calendar: FieldCalendar)
    extends UnaryExpression
    with NullPropagating {
  override def dataType: DataType = LongType

  override def prettyName: String = "calendar_unit_last"

  @transient private lazy val units = calendar.units()

  override protected def nullSafeEval(unit: Any): Any =
    units.start(unit.asInstanceOf[Long] + 1L) - 1L

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val units = CalendarUnit.units(calendar, ctx)
    defineCodeGen(ctx, ev, unit => s"$units.start($unit + 1L) - 1L")
  }

  override protected def withNewChildInternal(newChild: Expression): CalendarUnitLast =
    copy(child = newChild)
}
