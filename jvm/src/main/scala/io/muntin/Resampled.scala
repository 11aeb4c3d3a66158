package io.muntin

import java.util.Locale

import scala.annotation.varargs

import org.apache.spark.sql.{Column, DataFrame, Dataset}
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._

/** The grid of `functions.resample`, which waits for what is to be said at its places. */
final class Resampled private[muntin] (
    rows: Dataset[_],
    time: String,
    every: Any,
    by: Seq[String]
) {
  import Resampled._

  private val keys: Seq[Column] = by.map(column)
  private val values: Seq[String] =
    rows.columns.toSeq.filterNot(name => isAmong(name, time +: by))

  /**
   * The aggregates of the rows of each step: those at its place, and behind it before the next. A
   * step without a row has those of nothing.
   */
  @varargs
  def agg(aggregate: Column, others: Column*): DataFrame =
    steps(rows.toDF(), "left", aggregate +: others)

  /**
   * The average of a column over the time of each step, also where no row lies in it: a value holds
   * until the next one. The first step counts from a group's first row on, and the last until its
   * last row.
   */
  def timeWeightedAvg(column: String): DataFrame = timeWeightedAvg(Seq(column), "locf")

  /**
   * The same of several columns.
   *
   * @param method
   *   `"locf"`, the last observation carried forward, or `"linear"`
   */
  def timeWeightedAvg(columns: Seq[String], method: String): DataFrame = {
    require(columns.nonEmpty, "resample: columns is empty; expected are names of columns")
    val ways = Map("locf" -> "last", "linear" -> "linear")
    require(
      ways.contains(method),
      s"resample: method is '$method'; expected is 'locf' or 'linear'"
    )
    // With the values at the places, each step knows what holds where it begins and ends.
    val both = filled(values.filter(isAmong(_, columns)), ways(method), null)
    val aggregates = columns.map { name =>
      functions.timeWeightedAvg(column(name), column(time), method).as(name)
    }
    steps(both, "both", aggregates)
  }

  /** The values of the last row at each place of the grid or before it; see `fill(method)`. */
  def fill(): DataFrame = fill("last", null)

  /**
   * The values of the rows around each place of the grid, from a group's first row to its last;
   * `filled` says whether the rows have none at this very time.
   *
   * @param method
   *   as of `functions.fill`: `"last"`, `"next"`, `"nearest"` or `"linear"`
   */
  def fill(method: String): DataFrame = fill(method, null)

  /**
   * The same of values that are no farther away than `maxGap`, of which `functions.fill` says what
   * it may be.
   */
  def fill(method: String, maxGap: Any): DataFrame = {
    require(
      !isAmong("filled", rows.columns.toSeq),
      "resample: the rows have a column filled already; rename it"
    )
    filled(values, method, maxGap).where(col(Made)).drop(Made)
  }

  private def steps(rows: DataFrame, closed: String, aggregates: Seq[Column]): DataFrame = {
    val places = grid.select(keys :+ col(Start).as(time) :+ col(End): _*)
    val (at, key) = (column(time), struct(keys: _*))
    val windows = functions.windowBy(rows, places, at, at, col(End), closed = closed)
    // A group may be that of null, which is equal to nothing; a struct of nulls is to itself.
    val ofGroups = if (by.isEmpty) windows else windows.on(key, key)
    ofGroups.agg(aggregates.head, aggregates.tail: _*).drop(End)
  }

  /** The rows and the places, with the values that are there or filled in. */
  private def filled(values: Seq[String], method: String, maxGap: Any): DataFrame = {
    val types = rows.schema.map(field => field.name -> field.dataType).toMap
    val places = grid.where(col(Start) >= col(First)).select(
      (keys :+ col(Start).as(time)) ++ values.map(name => lit(null).cast(types(name)).as(name)) :+
        lit(true).as(Made): _*
    )
    val present = rows.where(column(time).isNotNull)
      .select((keys :+ column(time)) ++ values.map(column) :+ lit(false).as(Made): _*)
    // A row at a place comes before it where values are carried forward, else behind it.
    val made = if (method == "next") col(Made).desc else col(Made).asc
    val around = Window.partitionBy(keys: _*).orderBy(column(time), made)
    val peers = Window.partitionBy(keys: _*).orderBy(column(time)).rangeBetween(0, 0)
    present.unionByName(places).select(
      (keys :+ column(time)) ++
        values.map(name => functions.fill(column(name), method, maxGap).over(around).as(name)) :+
        min(Made).over(peers).as("filled") :+ col(Made): _*
    )
  }

  /** The steps of each group, from its first row to its last. */
  private def grid: DataFrame =
    rows.groupBy(keys: _*)
      .agg(min(column(time)).as(First), max(column(time)).as(Last))
      .select(
        keys :+ col(First) :+
          functions.timeSteps(col(First), col(Last), every).as(Seq(Start, End)): _*
      )
}

private[muntin] object Resampled {
  // No names of anybody's columns.
  private val First = "__muntin_first"
  private val Last = "__muntin_last"
  private val Start = "__muntin_start"
  private val End = "__muntin_end"
  private val Made = "__muntin_made"

  def apply(rows: Dataset[_], time: String, every: Any, by: Seq[String]): Resampled = {
    require(
      !rows.isStreaming,
      "resample: rows is a stream, whose groups have no last row; group by ticks(…) or " +
        "fieldWindow(…), or join a table that ticks to it with asofJoin"
    )
    new Resampled(rows, time, every, by)
  }

  private def isAmong(name: String, names: Seq[String]): Boolean =
    names.exists(_.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT))

  private def column(name: String): Column = col("`" + name.replace("`", "``") + "`")
}
