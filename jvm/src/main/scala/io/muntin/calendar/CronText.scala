package io.muntin.calendar

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.muntin.shaded.cronutils.model.{Cron, CronType, SingleCron}
import io.muntin.shaded.cronutils.model.definition.CronDefinitionBuilder
import io.muntin.shaded.cronutils.model.field.CronFieldName
import io.muntin.shaded.cronutils.model.field.CronFieldName._
import io.muntin.shaded.cronutils.model.field.expression._
import io.muntin.shaded.cronutils.model.field.value.{FieldValue, IntegerFieldValue}
import io.muntin.shaded.cronutils.parser.CronParser

/**
 * The values that a five-field cron expression allows, for each field. cron-utils parses the text.
 * It does not compute the ticks: its execution times are wrong when clocks change.
 */
private[calendar] final case class CronText(
    minutes: Set[Int],
    hours: Set[Int],
    days: Set[Int],
    months: Set[Int],
    weekdays: Set[Int]
)

private[calendar] object CronText {
  def parse(text: String): CronText = {
    if (text.split(' ').length != 5) throw invalid("it does not have five fields")
    val parser = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX))
    val cron =
      // The parser throws various exceptions for texts that it does not accept.
      try parser.parse(text.toUpperCase(Locale.ROOT))
      catch {
        case NonFatal(e) =>
          throw invalid(Option(e.getMessage).getOrElse("it is not a cron expression"))
      }
    cron match {
      case _: SingleCron =>
      case _ => throw invalid("it contains several cron expressions")
    }
    CronText(
      values(cron, MINUTE, 0 to 59),
      values(cron, HOUR, 0 to 23),
      values(cron, DAY_OF_MONTH, 1 to 31),
      values(cron, MONTH, 1 to 12),
      // Both 0 and 7 are Sunday.
      values(cron, DAY_OF_WEEK, 0 to 6, 0 to 7).map(_ % 7)
    )
  }

  private def values(cron: Cron, name: CronFieldName, all: Range): Set[Int] =
    values(cron, name, all, all)

  private def values(cron: Cron, name: CronFieldName, all: Range, allowed: Range): Set[Int] = {
    def of(expression: FieldExpression): Set[Int] = expression match {
      case _: Always => all.toSet
      case on: On => Set(number(on.getTime))
      case between: Between => (number(between.getFrom) to number(between.getTo)).toSet
      case and: And => and.getExpressions.asScala.flatMap(of).toSet
      case every: Every =>
        val step = every.getPeriod.getValue.intValue
        if (step < 1) throw invalid(s"the step $step is not positive")
        every.getExpression match {
          case on: On => (number(on.getTime) to all.last by step).toSet
          case other =>
            val from = of(other)
            (from.min to from.max by step).toSet
        }
      case other => throw invalid(s"${other.asString} is not supported")
    }
    val found = of(cron.retrieve(name).getExpression)
    found.find(!allowed.contains(_)).foreach(v => throw invalid(s"$v is out of range"))
    found
  }

  private def number(value: FieldValue[_]): Int = value match {
    case integer: IntegerFieldValue => integer.getValue.intValue
    case other => throw invalid(s"$other is not supported")
  }

  private def invalid(why: String) = new IllegalArgumentException(why)
}
