package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Max, Min}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.muntin.expressions.{
  FieldWindow,
  Fill,
  Filled,
  TimeSteps,
  TimeWeightedAvg
}
import org.apache.spark.sql.muntin.expressions.common.TimeInMicros
import org.apache.spark.sql.muntin.expressions.internal.{TimeWeightedBetween, TimeWeightedPart}
import org.apache.spark.sql.muntin.spark.{FunctionCall, GroupBy, LocalSession}
import org.apache.spark.sql.types.{BinaryType, IntegralType, LongType}

/**
 * The grid of `resample`, and the queries of its rows. The first row at or after a grid point, or a
 * step, emits that point or step, and looks back to the previous row. So a stream needs no last
 * row.
 *
 * {{{
 *   every 2     rows    10 at 0     18 at 4     20 at 9
 *               places        0   2, 4        6, 8
 * }}}
 *
 * @param time
 *   the rows' time
 * @param every
 *   the length of a step, a literal
 * @param by
 *   the names of the groups' columns
 */
final class TimeGrid(rows: LogicalPlan, time: Attribute, every: Expression, by: Seq[String]) {
  import TimeGrid._

  private val at = quoteIdentifier(time.name)
  private val keys = by.map(quoteIdentifier)

  /** Returns the grid points, with values computed from the rows around each. */
  def filled(way: Expression, maxGap: Expression): LogicalPlan = {
    val method = Fill.methodOf(way)
    val values = rows.output.filterNot(a => (time.name +: by).contains(a.name))
    val order = window(at)
    val around = values.zipWithIndex.flatMap { case (value, i) =>
      val x = quoteIdentifier(value.name)
      val presentValue = s"CASE WHEN $x IS NOT NULL THEN named_struct('value', $x, 'time', $at) END"
      val before = s"lag($presentValue) IGNORE NULLS OVER ($order) AS ${Before(i)}"
      val after =
        s"coalesce($presentValue, lead($presentValue) IGNORE NULLS OVER ($order)) AS ${After(i)}"
      val peers = s"$order RANGE BETWEEN CURRENT ROW AND CURRENT ROW"
      val here = s"last_value($x) IGNORE NULLS OVER ($peers) AS ${Here(i)}"
      method match {
        case Fill.LastValue => Seq(here, before)
        case Fill.Next => Seq(after)
        case _ => Seq(here, before, after)
      }
    }
    val places = query(
      s"""SELECT * FROM (
            SELECT *, ${steps(at)} FROM (
              SELECT ${list((keys :+ at) ++ around)}, lag($at) OVER ($order) AS $Previous
              FROM $Rows WHERE $at IS NOT NULL
            )
          ) WHERE CASE WHEN $Previous IS NULL THEN $Start = $at ELSE $Start > $Previous END"""
    )
    val isHere = EqualTo(column(Start), column(time.name))
    val filled = values.zipWithIndex.map { case (x, i) =>
      val nothing = Literal(null, x.dataType)
      val value = Filled(
        if (method == Fill.Next) nothing else If(isHere, column(Here(i)), nothing),
        column(Start),
        Option.when(method != Fill.Next)(column(Before(i))),
        Option.when(method != Fill.LastValue)(column(After(i))),
        method,
        Fill.mostDistance(method, x, maxGap, time),
        descending = false
      )
      Alias(value, x.name)()
    }
    val isFilled = Alias(Not(isHere), IsFilled)()
    Project((by.map(column) :+ named(Start, time.name)) ++ filled :+ isFilled, places)
  }

  /**
   * Returns the aggregates of each step's rows, and the aggregates of no rows for an empty step.
   */
  def aggregated(aggregates: Seq[NamedExpression]): LogicalPlan = {
    val found = aggregates.zipWithIndex.map { case (a, i) => Alias(unnamed(a), Found(i))() }
    val none = aggregates.zipWithIndex.map { case (a, i) => Alias(unnamed(a), Default(i))() }
    val renewed = AttributeMap(rows.output.map(a => a -> a.newInstance()))
    val ofNothing = GroupBy(
      Nil,
      none.map(_.transform { case a: Attribute => renewed.getOrElse(a, a) })
        .map(_.asInstanceOf[NamedExpression]),
      LocalRelation(rows.output.map(renewed))
    )
    val stepped = query(
      s"""SELECT * FROM (${between(window(Close), Nil)}) CROSS JOIN $OfNothing""",
      Windows -> windows(found),
      OfNothing -> ofNothing
    )
    val results = aggregates.zipWithIndex.map { case (a, i) =>
      Alias(If(isEmpty, column(Default(i)), column(Found(i))), a.name)()
    }
    Project((by.map(column) :+ named(Start, time.name)) ++ results, stepped)
  }

  /** Returns the time-weighted averages of each step. */
  def timeWeightedAvg(columns: Seq[String], method: Expression): LogicalPlan = {
    val averages = columns.map { name =>
      val x = rows.output.find(_.name == name).get
      TimeWeightedAvg(Seq(x, time, method)).asInstanceOf[TimeWeightedAvg]
    }
    val parts = averages.zipWithIndex.map { case (average, i) =>
      Alias(TimeWeightedPart(average).toAggregateExpression(), Found(i))()
    }
    val order = window(Close)
    val around = averages.indices.flatMap { i =>
      Seq(
        s"lag(${Found(i)}) IGNORE NULLS OVER ($order) AS ${Before(i)}",
        s"lead(${Found(i)}) IGNORE NULLS OVER ($order) AS ${After(i)}"
      )
    }
    val stepped = query(
      between(order, s"lead($Close) OVER ($order) AS $NextClose" +: around),
      Windows -> windows(parts)
    )
    val isLast = And(IsNull(column(NextClose)), Not(isEmpty))
    val results = averages.zipWithIndex.map { case (average, i) =>
      val (within, after) = (column(Found(i)), column(After(i)))
      val mean = TimeWeightedBetween(
        column(Before(i)),
        If(isEmpty, Literal(null, BinaryType), within),
        If(isEmpty, Coalesce(Seq(within, after)), after),
        number(Start),
        If(isLast, number(Latest), number(End)),
        average.isLinear
      )
      Alias(mean, columns(i))()
    }
    Project((by.map(column) :+ named(Start, time.name)) ++ results, stepped)
  }

  /** Returns the steps that have rows, each with `columns`, its first time and its last time. */
  private def windows(columns: Seq[NamedExpression]): LogicalPlan = {
    // Windows of small integers may end outside the type.
    val field = if (time.dataType.isInstanceOf[IntegralType]) Cast(time, LongType) else time
    val window = FunctionCall(Seq(FieldWindow.qualifiedName), Seq(field, every, every))
    val ends = Seq(
      Alias(UnresolvedAttribute(Seq(Step, "close")), Close)(),
      Alias(Min(time).toAggregateExpression(), First)(),
      Alias(Max(time).toAggregateExpression(), Latest)()
    )
    GroupBy(
      by.map(column) :+ Alias(window, Step)(),
      by.map(column) ++ ends ++ columns,
      Filter(IsNotNull(time), rows)
    )
  }

  /**
   * Returns SQL that computes, for each row of `Windows`, the steps after the previous row's step,
   * up to the row's own step.
   */
  private def between(order: String, columns: Seq[String]): String =
    s"""SELECT * FROM (
          SELECT *, ${steps(First)} FROM (
            SELECT ${list("*" +: columns)}, lag($Latest) OVER ($order) AS $Previous FROM $Windows
          )
        ) WHERE $Previous IS NULL OR $Start > $Previous"""

  /** Returns true if a step is before the first row of the step that emits it. */
  private def isEmpty: Expression = LessThanOrEqual(column(End), column(First))

  private def steps(until: String): String =
    s"`${TimeSteps.qualifiedName}`(coalesce($Previous, $until), $until, ${every.sql}) " +
      s"AS ($Start, $End)"

  private def window(order: String): String = {
    val groups = if (keys.isEmpty) "" else s"PARTITION BY ${list(keys)} "
    s"${groups}ORDER BY $order"
  }

  /** Returns a step's time in the form that TimeWeightedAvg uses. */
  private def number(name: String): Expression = {
    val isLong = name == End && time.dataType.isInstanceOf[IntegralType]
    TimeInMicros.ofType(column(name), if (isLong) LongType else time.dataType)
  }

  private def query(text: String, tables: (String, LogicalPlan)*): LogicalPlan = UnresolvedRules {
    val all = (tables :+ (Rows -> rows)).toMap
    LocalSession.parser(SparkSession.active).parsePlan(text).transform {
      case UnresolvedRelation(Seq(name), _, _) if all.contains(name) => all(name)
    }
  }

  private def column(name: String): NamedExpression = UnresolvedAttribute(Seq(name))

  private def named(name: String, as: String): NamedExpression = Alias(column(name), as)()

  private def unnamed(output: NamedExpression): Expression = output match {
    case Alias(child, _) => child
    case other => other
  }

  private def list(items: Seq[String]): String = items.mkString(", ")
}

object TimeGrid {

  /** The column that is true for points without a row. */
  val IsFilled: String = "filled"

  // Names that no user's table or column has.
  private val Rows = "__muntin_rows"
  private val Windows = "__muntin_windows"
  private val OfNothing = "__muntin_of_nothing"
  private val Step = "__muntin_step"
  private val Close = "__muntin_close"
  private val NextClose = "__muntin_next_close"
  private val First = "__muntin_first"
  private val Latest = "__muntin_latest"
  private val Previous = "__muntin_previous"
  private val Start = "__muntin_start"
  private val End = "__muntin_end"

  /** A column for each value or for each aggregate. */
  private final class Each(name: String) {
    def apply(i: Int): String = s"__muntin_${name}_$i"
  }

  private val Here = new Each("here")
  private val Before = new Each("before")
  private val After = new Each("after")
  private val Found = new Each("found")
  private val Default = new Each("default")
}
