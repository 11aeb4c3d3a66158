package org.apache.spark.sql.muntin.expressions

import java.math.BigInteger

import io.muntin.kernel.fields.{FieldSteps, FieldTrack, FieldUnits}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Alias, Ascending, Expression, SortOrder}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_SECOND
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.types._

/**
 * field_window: windows of a group along the values of a field, after StreamBase's field dimension.
 * `steps` are in units of the field: microseconds of a timestamp, days of a date.
 *
 * @param kind
 *   the SQL function
 * @param calendar
 *   the calendar whose days or months `steps` count; None for values of the field
 * @param argumentTexts
 *   the arguments as the query writes them; Nil if they equal `steps`
 */
final case class FieldWindow(
    field: Expression,
    steps: FieldSteps[BigDecimal],
    override val drain: Option[Boolean],
    kind: FieldKind = FieldKind.Along,
    calendar: Option[FieldCalendar] = None,
    argumentTexts: Seq[String] = Nil
) extends GroupWindow {
  override def function: SqlFunction = kind.function

  override def children: Seq[Expression] = Seq(field)

  override def dataType: StructType = {
    val bounded = steps.size.isDefined
    StructType(
      Seq(
        StructField(kind.opening, field.dataType, nullable = false),
        StructField(kind.closing, field.dataType, nullable = !bounded)
      ) ++ steps.every.map(_ => StructField("emit", field.dataType, nullable = !bounded))
    )
  }

  override def order: Seq[SortOrder] = Seq(SortOrder(field, Ascending))

  /** Returns the number of decimal places of numbers that are stored as integers. */
  def scale: Int = field.dataType match {
    case d: DecimalType => d.scale
    case DoubleType =>
      (steps.size ++ steps.advance ++ steps.every ++ Some(steps.offset))
        .map(_.bigDecimal.stripTrailingZeros.scale)
        .foldLeft(0)(math.max)
    case _ => 0
  }

  def unscaled: FieldSteps[BigInteger] =
    steps.map(_.bigDecimal.setScale(scale).unscaledValue)

  def scaled: FieldSteps[Long] = unscaled.map(_.longValueExact)

  /** The motions that the results need. */
  lazy val tracks: Seq[FieldTrack] = {
    val (windows, points) = FieldWindow.counts(steps)
    FieldTrack.all(windows, points)
  }

  /** Returns the number that `steps` count for a value of the field. */
  def counted(value: Expression): Expression = calendar.fold(value)(CalendarUnit(value, _))

  /** Returns the units that `steps` count, for one thread. */
  def units(): FieldUnits = calendar.fold[FieldUnits](FieldUnits.Single)(_.units())

  /** Returns the field as the query writes it. */
  def shown: String = FieldNumbers.shown(field)

  override protected def argumentsSql: Seq[String] = {
    def number(value: BigDecimal): String = {
      val plain = field.dataType match {
        case TimestampType | TimestampNTZType => value / MICROS_PER_SECOND
        case _ => value
      }
      plain.bigDecimal.stripTrailingZeros.toPlainString
    }
    val numbers = Seq(
      steps.size.map(x => s"size => ${number(x)}"),
      steps.advance.map(x => s"advance => ${number(x)}"),
      Option.when(steps.offset.signum != 0)(s"offset => ${number(steps.offset)}"),
      steps.every.map(x => s"every => ${number(x)}"),
      Option.when(steps.all)("open => 'all'")
    ).flatten
    (if (argumentTexts.isEmpty) numbers else argumentTexts) ++ drain.map(d => s"drain => $d")
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): FieldWindow = copy(field = newChildren.head)
}

object FieldWindow extends SqlFunction {
  override def definition: Definition = Definitions.fieldWindow

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(fieldOf, sizeOf, advanceOf, offsetOf, everyOf, openOf, drainOf) =>
      val read = new Arguments(name)
      val field = read.row("field", unaliased(fieldOf))
      val numbers = new FieldNumbers(read, field)
      val size = numbers.positive("size", sizeOf)
      val advance = numbers.positive("advance", advanceOf)
      val offset = numbers.number("offset", offsetOf).getOrElse(BigDecimal(0))
      val every = numbers.positive("every", everyOf)
      if (advance.isDefined && size.isEmpty) {
        throw read.error("MUNTIN_ADVANCE_REQUIRES_SIZE", "advance" -> advanceOf.sql)
      }
      if (advance.exists(a => size.exists(a > _))) {
        throw exceedsSize(read, "advance", advanceOf, sizeOf)
      }
      if (every.exists(e => size.exists(e > _))) {
        throw read.error(
          "MUNTIN_EVERY_EXCEEDS_SIZE",
          "every" -> everyOf.sql,
          "size" -> sizeOf.sql
        )
      }
      if (advance.isEmpty && offset.signum != 0) {
        throw read.error("MUNTIN_OFFSET_REQUIRES_ADVANCE", "offset" -> offsetOf.sql)
      }
      val all = read.word("open", openOf, Seq("single", "all")) == "all"
      val window = FieldWindow(
        numbers.widened((size ++ advance ++ every).toSeq :+ offset, size),
        FieldSteps(size, advance, offset, every, all),
        read.expression(drainOf).map(read.flag("drain", _))
      )
      check(read, window, everyOf)
      window
  }

  /** Returns the error for windows that do not cover the rows between them. */
  private[expressions] def exceedsSize(
      read: Arguments,
      parameter: String,
      argument: Expression,
      size: Expression
  ): AnalysisException = read.error(
    "MUNTIN_WINDOWS_WITH_GAPS",
    "parameter" -> parameter,
    "argument" -> argument.sql,
    "size" -> size.sql
  )

  private[expressions] def check(read: Arguments, window: FieldWindow, every: Expression): Unit = {
    val isWide = window.field.dataType match {
      case d: DecimalType => d.precision > Decimal.MAX_LONG_DIGITS
      case _ => false
    }
    val whole = window.unscaled
    val numbers = (whole.size ++ whole.advance ++ whole.every).toSeq :+ whole.offset
    if (!isWide && numbers.exists(_.bitLength > MostBits)) {
      throw read.error(
        "MUNTIN_WINDOW_EXCEEDS_BIGINT",
        "window" -> window.sql,
        "field" -> window.shown
      )
    }
    val (windows, points) = counts(window.steps)
    if (math.min(windows, points) > FieldTrack.Most) {
      throw read.error(
        "MUNTIN_TOO_MANY_RUNNING_RESULTS",
        "every" -> every.sql,
        "windows" -> windows.toString,
        "results" -> points.toString,
        "limit" -> FieldTrack.Most.toString
      )
    }
  }

  /** Returns the maximum number of windows per value, and the number of results per window. */
  private def counts(steps: FieldSteps[BigDecimal]): (Long, Long) = {
    def ratio(of: BigDecimal, by: BigDecimal): Long = {
      val parts = of.bigDecimal.divideAndRemainder(by.bigDecimal)
      val whole = parts(0).toBigInteger.min(BigInteger.valueOf(Long.MaxValue - 1L)).longValue
      if (parts(1).signum == 0) whole else whole + 1L
    }
    val windows = steps.advance.fold(1L)(a => ratio(steps.size.get, a))
    val points = steps.every.fold(1L)(e => steps.size.fold(Long.MaxValue)(ratio(_, e)))
    (windows, points)
  }

  private[expressions] def unaliased(argument: Expression): Expression = argument match {
    case Alias(child, _) => unaliased(child)
    case other => other
  }

  private val MostBits = 61
}
