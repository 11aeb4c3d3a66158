package org.apache.spark.sql.muntin.expressions

import java.math.BigInteger

import io.muntin.kernel.fields.{FieldSteps, FieldTrack}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  Expression,
  Literal,
  PreciseTimestampConversion,
  SortOrder
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_SECOND
import org.apache.spark.sql.muntin.execution.groups.{FieldPlan, GroupPlan}
import org.apache.spark.sql.muntin.execution.split.{FieldGrid, Grid, GroupReach}
import org.apache.spark.sql.muntin.spark.CastTo
import org.apache.spark.sql.types._

/**
 * field_window: windows of a group along the values of a field, after StreamBase's field dimension. `steps`
 * are in units of the field: microseconds of a timestamp, days of a date.
 *
 * Where rows stand for panes, `field` is the least value of a pane, `reach` the greatest, and `paned` what the
 * field was called.
 */
final case class FieldWindow(
    field: Expression,
    steps: FieldSteps[BigDecimal],
    drain: Boolean,
    reach: Option[Expression] = None,
    paned: Option[String] = None
) extends GroupWindow {
  override def function: SqlFunction = FieldWindow

  override def children: Seq[Expression] = field +: reach.toSeq

  override def dataType: StructType = {
    val bounded = steps.size.isDefined
    StructType(
      Seq(
        StructField("open", field.dataType, nullable = false),
        StructField("close", field.dataType, nullable = !bounded)
      ) ++ steps.every.map(_ => StructField("emit", field.dataType, nullable = !bounded))
    )
  }

  override def order: Seq[SortOrder] = Seq(SortOrder(field, Ascending))

  // Not of panes, which are few. Several tracks have results that go back and forth over the openings of windows.
  override def groupReach: Option[GroupReach] = field match {
    case column: Attribute if Grid.supports(column) && reach.isEmpty && tracks.size == 1 =>
      for {
        size <- scaled.size
        advance <- scaled.advance
      } yield FieldGrid(column, size, advance, Math.floorMod(scaled.offset, advance))
    case _ => None
  }

  override def ofAllGroups: Option[AggregateFunction] =
    Option.when(!drain || steps.every.isDefined)(Max(reach.getOrElse(field)))

  /** How many digits behind the point numbers have as integers. */
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

  /** The motions that its results take. */
  lazy val tracks: Seq[FieldTrack] = {
    val (windows, points) = FieldWindow.counts(steps)
    FieldTrack.all(windows, points)
  }

  override def pane: Option[Expression] =
    for {
      _ <- Option.when(field.dataType != DoubleType)(())
      whole = unscaled
      size <- whole.size
      advance <- whole.advance
      cuts <- FieldPane.cuts(size, advance, whole.every)
      shift = whole.offset.mod(advance)
    } yield field.dataType match {
      case d: DecimalType if d.precision > Decimal.MAX_LONG_DIGITS =>
        WideFieldPane(field, shown, advance, shift, cuts)
      case _ =>
        val bounds = cuts.map(_.longValueExact)
        FieldPane(field, shown, advance.longValueExact, shift.longValueExact, bounds)
    }

  override def paneLast(time: Expression): Option[Expression] =
    pane.collect { case p: FieldPane =>
      PreciseTimestampConversion(
        FieldPaneLast(time, p.advance, p.shift, p.cuts),
        LongType,
        TimestampType
      )
    }

  override def closedBy(time: Long): Option[Long] =
    scaled.size.map { size =>
      scaled.advance.fold(time) { advance =>
        val first = Math.floorMod(scaled.offset, advance) + size
        first + Math.floorDiv(time - first, advance) * advance
      }
    }

  override def overPanes(first: Attribute, last: Attribute): FieldWindow =
    copy(field = first, reach = Some(last), paned = Some(shown))

  override def plan(known: Option[Any]): GroupPlan = FieldPlan(this, known.filter(_ != null))

  override def planOnStream(keyed: Boolean): GroupPlan =
    if (steps.size.isEmpty && steps.every.isEmpty) {
      throw InvalidArgument(
        FieldWindow.name,
        "size",
        s"left out in $sql, a window that never closes, and so nothing would ever come out of a stream; " +
          s"write size => 3600 for windows of an hour, or every => 60 for a running result each minute"
      )
    } else FieldPlan(copy(drain = false), None)

  /** The field as the query has it. */
  def shown: String = paned.getOrElse(FieldWindow.shown(field))

  override protected def argumentsSql: Seq[String] = {
    def number(value: BigDecimal): String = {
      val plain = field.dataType match {
        case TimestampType | TimestampNTZType => value / MICROS_PER_SECOND
        case _ => value
      }
      plain.bigDecimal.stripTrailingZeros.toPlainString
    }
    Seq(
      steps.size.map(x => s"size => ${number(x)}"),
      steps.advance.map(x => s"advance => ${number(x)}"),
      Option.when(steps.offset.signum != 0)(s"offset => ${number(steps.offset)}"),
      steps.every.map(x => s"every => ${number(x)}"),
      Option.when(steps.all)("open => 'all'"),
      Option.when(!drain)("drain => false")
    ).flatten
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): FieldWindow = copy(field = newChildren.head, reach = newChildren.lift(1))
}

object FieldWindow extends SqlFunction {
  override val name: String = "field_window"

  override val parameters: Seq[InputParameter] = Seq(
    required("field"),
    optional("size"),
    optional("advance"),
    optional("offset", Literal(0)),
    optional("every"),
    optional("open", Literal("single")),
    optional("drain", Literal(true))
  )

  override val usage: String =
    """
      _FUNC_(field[, size][, advance][, offset][, every][, open][, drain]) - Windows of a GROUP BY along
      the values of a field, a number, TIMESTAMP, TIMESTAMP_NTZ or DATE: a STRUCT<open, close>. Windows
      are size wide and open at offset plus each multiple of advance; without advance one opens at the
      value of the first row that finds none open, without size it never closes. For timestamps these
      are seconds or intervals, for dates days. every gives a result also each so far behind the
      opening, up to emit, a third field. At the first row of a group and after a gap of size at most
      one window opens, the latest; with open => 'all' each that contains the row. With drain => false
      only windows come out that a later row of any group has closed.
    """

  override val example: SqlFunction.Example = SqlFunction.Example(
    "SELECT sum(x) FROM VALUES (10, 1), (20, 2), (40, 4) AS d(t, x) GROUP BY field_window(t, 30, 30)",
    "3",
    "4"
  )

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
        throw read.invalid(
          "advance",
          s"${advanceOf.sql} without a size; windows that open one after the other have to close"
        )
      }
      if (advance.exists(a => size.exists(a > _))) {
        throw read.invalid(
          "advance",
          s"${advanceOf.sql}, which is more than size, ${sizeOf.sql}; rows between two windows would be in none"
        )
      }
      if (every.exists(e => size.exists(e > _))) {
        throw read.invalid(
          "every",
          s"${everyOf.sql}, which is more than size, ${sizeOf.sql}; windows would close before it"
        )
      }
      if (advance.isEmpty && offset.signum != 0) {
        throw read.invalid(
          "offset",
          s"${offsetOf.sql} without an advance; windows open where rows are, and nothing is shifted"
        )
      }
      val all = read.word("open", openOf, Seq("single", "all")) == "all"
      val window = FieldWindow(
        numbers.widened((size ++ advance ++ every).toSeq :+ offset, size),
        FieldSteps(size, advance, offset, every, all),
        read.flag("drain", drainOf)
      )
      check(read, window, everyOf)
      window
  }

  private def check(read: Arguments, window: FieldWindow, every: Expression): Unit = {
    val isWide = window.field.dataType match {
      case d: DecimalType => d.precision > Decimal.MAX_LONG_DIGITS
      case _ => false
    }
    val whole = window.unscaled
    val numbers = (whole.size ++ whole.advance ++ whole.every).toSeq :+ whole.offset
    if (!isWide && numbers.exists(_.bitLength > MostBits)) {
      throw read.invalid(
        "size",
        s"${window.sql}: numbers with more digits than a BIGINT holds; cast ${window.shown} to a wider DECIMAL"
      )
    }
    val (windows, points) = counts(window.steps)
    if (math.min(windows, points) > FieldTrack.Most) {
      throw read.invalid(
        "every",
        s"${every.sql}: $windows windows would be open at one time, with $points results of each; " +
          s"expected are ${FieldTrack.Most} at most of one of them"
      )
    }
  }

  /** In how many windows a value may be, and how many results each has. */
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

  /** An expression as the query has it. */
  def shown(field: Expression): String = field match {
    case CastTo(child, _) => child.sql
    case other => other.sql
  }

  private def unaliased(argument: Expression): Expression = argument match {
    case Alias(child, _) => unaliased(child)
    case other => other
  }

  private val MostBits = 61
}
