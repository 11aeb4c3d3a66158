package org.apache.spark.sql.muntin.expressions

import java.time.{DateTimeException, ZoneId}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  GroupWindow,
  Schedule,
  SqlFunction
}
import org.apache.spark.sql.types._

/**
 * ticks: a window of a group for each tick of a schedule, after Fenl's cron windows.
 *
 * @param time
 *   TIMESTAMP or TIMESTAMP_NTZ
 * @param asDates
 *   true if times are the beginnings of dates; ticks are then dates, too
 * @param span
 *   the number of periods in a window; None for all rows up to its end
 */
final case class TickWindow(
    time: Expression,
    schedule: Schedule,
    asDates: Boolean,
    span: Option[Int],
    override val drain: Option[Boolean]
) extends GroupWindow {
  override def function: SqlFunction = TickWindow

  override def children: Seq[Expression] = time :: Nil

  override def dataType: StructType = {
    val bound = if (asDates) DateType else time.dataType
    StructType(Seq(
      StructField("start", bound, nullable = span.isEmpty),
      StructField("end", bound, nullable = false)
    ))
  }

  override def order: Seq[SortOrder] = Seq(SortOrder(time, Ascending))

  override protected def argumentsSql: Seq[String] = {
    val zone = Option.when(time.dataType == TimestampType)(s"timezone => '${schedule.zone}'")
    Seq(s"'${schedule.text}'") ++ zone ++
      Option.when(!span.contains(1))(s"span => ${span.fold("NULL")(_.toString)}") ++
      Option.when(schedule.opens)("closed => 'left'") ++
      drain.map(d => s"drain => $d")
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): TickWindow = copy(time = newChildren.head)
}

object TickWindow extends SqlFunction {
  override def definition: Definition = Definitions.ticks

  private val read = new Arguments(name)

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(time, scheduleName, timezone, span, closed, drain) =>
      val row = read.row("time", time)
      val zoneArgument = read.text("timezone", timezone).map(zoneOf)
      // A DATE is a day: the first of a month is a day of that month.
      val opens = read.expression(closed).fold(row.dataType == DateType) {
        read.word("closed", _, Seq("right", "left")) == "left"
      }
      def schedule(zone: Option[ZoneId]) = scheduleOf(scheduleName, zone, opens)
      row.dataType match {
        case TimestampType =>
          val zone =
            zoneArgument.getOrElse(DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone))
          window(row, time, schedule(Some(zone)), asDates = false, span, drain)
        case TimestampNTZType | DateType if zoneArgument.nonEmpty =>
          throw read.zoneOfLocalTime("timezone", timezone, time, row.dataType)
        case TimestampNTZType =>
          window(row, time, schedule(None), asDates = false, span, drain)
        case DateType =>
          val found = schedule(None)
          window(Cast(row, TimestampNTZType), time, found, found.isDaily, span, drain)
        case _ => throw read.invalidType("time", time, "a TIMESTAMP, TIMESTAMP_NTZ or DATE")
      }
  }

  private def window(
      row: Expression,
      time: Expression,
      schedule: Schedule,
      asDates: Boolean,
      span: Expression,
      drain: Expression
  ): TickWindow =
    TickWindow(
      if (time.nullable) TickTime(row, time.sql) else row,
      schedule,
      asDates,
      if (span.foldable && span.eval() == null) None else Some(read.positive("span", span)),
      read.expression(drain).map(read.flag("drain", _))
    )

  private def zoneOf(timezone: String): ZoneId =
    try DateTimeUtils.getZoneId(timezone)
    catch {
      case _: DateTimeException =>
        throw read.invalidValue("timezone", Literal(timezone), HopArguments.Zones)
    }

  private def scheduleOf(
      argument: Expression,
      zone: Option[ZoneId],
      opens: Boolean
  ): Schedule = {
    val text = read.text("schedule", argument).getOrElse {
      throw read.invalidValue("schedule", argument, s"one of ${Schedule.allowed}")
    }
    try Schedule(text, zone, opens)
    catch {
      case e: IllegalArgumentException =>
        throw read.error(
          "MUNTIN_INVALID_SCHEDULE",
          "schedule" -> text,
          "error" -> e.getMessage.stripSuffix("."),
          "allowed" -> Schedule.allowed
        )
    }
  }
}
