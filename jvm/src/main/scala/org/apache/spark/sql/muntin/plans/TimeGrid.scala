package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.muntin.expressions.{Fill, TimeSteps, TimeWeightedAvg}
import org.apache.spark.sql.muntin.spark.{FunctionCall, LocalSession}

/**
 * The grid of `resample`, and the queries of its rows: what `mt.resample` makes of DataFrames, as
 * SQL.
 *
 * @param time
 *   the name of the rows' time
 * @param every
 *   the length of a step, a literal
 * @param by
 *   the names of the groups' columns
 */
final class TimeGrid(rows: LogicalPlan, time: String, every: Expression, by: Seq[String]) {
  import TimeGrid._

  private val at = quoteIdentifier(time)
  private val keys = by.map(quoteIdentifier)
  private val others = rows.output.map(_.name).filterNot((time +: by).contains)

  /** The places, with the values of the rows around each. */
  def filled(method: Expression, maxGap: Option[Expression]): LogicalPlan = query(
    s"""SELECT ${list(keys ++ (at +: others.map(quoteIdentifier)) :+ Filled)}
        FROM (${atRowsAndPlaces(others, method.sql, maxGap)}) WHERE $Made"""
  )

  /** The aggregates of the rows of each step. */
  def aggregated(aggregates: Seq[NamedExpression]): LogicalPlan = steps(rows, "left", aggregates)

  /** The averages over the time of each step. */
  def timeWeightedAvg(columns: Seq[String], method: String): LogicalPlan = {
    // With the values at the places, each step knows what holds where it begins and ends.
    val way = if (method == "linear") Fill.Linear else Fill.LastValue
    val both = query(atRowsAndPlaces(columns.distinct, s"'$way'", None))
    val averages = columns.map { name =>
      val x = quoteIdentifier(name)
      s"`${TimeWeightedAvg.qualifiedName}`($x, $at, '$method') AS $x"
    }
    steps(
      both,
      "both",
      parser.parsePlan(s"SELECT ${list(averages)}").expressions.collect {
        case average: NamedExpression => average
      }
    )
  }

  private def steps(
      of: LogicalPlan,
      closed: String,
      aggregates: Seq[NamedExpression]
  ): LogicalPlan = {
    val columns = (by :+ time).map(name => UnresolvedAttribute(Seq(name)))
    // A group may be that of null, which is equal to nothing; a struct of nulls is equal to itself.
    val key = FunctionCall(Seq("struct"), columns.init)
    WindowByTable(
      of,
      query(s"SELECT ${list(keys)}${comma(keys)}$Start AS $at, $End FROM ($grid)"),
      columns,
      aggregates,
      columns.last,
      Seq("start" -> columns.last, "end" -> UnresolvedAttribute(Seq(End))),
      if (by.isEmpty) Nil else Seq((key, key)),
      Literal(closed),
      Literal(false)
    )
  }

  /** The rows and the places in one table, with the values that are there or filled in. */
  private def atRowsAndPlaces(
      values: Seq[String],
      method: String,
      maxGap: Option[Expression]
  ): String = {
    val columns = values.map(quoteIdentifier)
    val groups = if (keys.isEmpty) "" else s"PARTITION BY ${list(keys)}"
    // A row at a place comes before it where values are carried forward, else behind it.
    val behind = if (method.equalsIgnoreCase(s"'${Fill.Next}'")) "DESC" else "ASC"
    val around = s"$groups ORDER BY $at, $Made $behind"
    val filled = columns.map { x =>
      val arguments = Seq(x, method) ++ maxGap.map(_.sql)
      s"`${Fill.qualifiedName}`(${list(arguments)}) OVER ($around) AS $x"
    }
    val peers = s"$groups ORDER BY $at RANGE BETWEEN CURRENT ROW AND CURRENT ROW"
    s"""SELECT ${list(keys ++ (at +: filled))}, min($Made) OVER ($peers) AS $Filled, $Made
        FROM (
          SELECT ${list(keys ++ (at +: columns))}, false AS $Made FROM $Rows WHERE $at IS NOT NULL
          UNION ALL
          SELECT ${list(keys ++ (s"$Start AS $at" +: columns.map(x => s"NULL AS $x")))}, true
          FROM ($grid) WHERE $Start >= $First
        )"""
  }

  /** The steps of each group, from its first row to its last. */
  private def grid: String = {
    val groups = if (keys.isEmpty) "" else s"GROUP BY ${list(keys)}"
    val steps = s"`${TimeSteps.qualifiedName}`($First, $Last, ${every.sql}) AS ($Start, $End)"
    s"""SELECT ${list(keys)}${comma(keys)}$First, $steps
        FROM (
          SELECT ${list(keys)}${comma(keys)}min($at) AS $First, max($at) AS $Last FROM $Rows $groups
        )"""
  }

  private def query(text: String): LogicalPlan = UnresolvedRules {
    parser.parsePlan(text).transform { case UnresolvedRelation(Seq(Rows), _, _) => rows }
  }

  private def parser = LocalSession.parser(SparkSession.active)

  private def list(items: Seq[String]): String = items.mkString(", ")

  private def comma(before: Seq[String]): String = if (before.isEmpty) "" else ", "
}

object TimeGrid {

  /** The column that says where there is no row. */
  val Filled: String = "filled"

  // No names of anybody's tables and columns.
  private val Rows = "__muntin_rows"
  private val Made = "__muntin_made"
  private val First = "__muntin_first"
  private val Last = "__muntin_last"
  private val Start = "__muntin_start"
  private val End = "__muntin_end"
}
