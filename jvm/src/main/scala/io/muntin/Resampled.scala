package io.muntin

import scala.annotation.varargs

import org.apache.spark.sql.{Column, DataFrame, Dataset}
import org.apache.spark.sql.functions.lit

/** The grid of `functions.resample`. Each method computes values at its steps. */
final class Resampled private[muntin] (
    rows: Dataset[_],
    time: String,
    every: Any,
    by: Seq[String]
) {
  import Resampled._

  /**
   * Aggregates the rows of each step: the rows at its place, and after it before the next. A step
   * without rows has the aggregates of no rows.
   */
  @varargs
  def agg(aggregate: Column, others: Column*): DataFrame =
    rows.toDF().agg(call(null, null, null, null), aggregate +: others: _*)

  /**
   * Returns the average of a column over the time of each step, also of steps without rows: a value
   * holds until the next value. The first step starts at a group's first row, and the last step
   * ends at its last row.
   */
  def timeWeightedAvg(column: String): DataFrame = timeWeightedAvg(Seq(column), "locf")

  /**
   * Returns the averages of several columns over the time of each step.
   *
   * @param method
   *   `"locf"`, the last observation carried forward, or `"linear"`
   */
  def timeWeightedAvg(columns: Seq[String], method: String): DataFrame = {
    if (columns.isEmpty) {
      throw Invalid("resample", "columns", "an empty Seq", "names of columns")
    }
    rows.toDF().select(call(null, null, quoted(columns), method))
  }

  /** Returns the values of the last row at or before each place of the grid; see `fill(method)`. */
  def fill(): DataFrame = fill("last", null)

  /**
   * Returns values computed from the rows around each place of the grid, from a group's first row
   * to its last; `filled` is true if the rows do not have a value at exactly this time.
   *
   * @param method
   *   as of `functions.fill`: `"last"`, `"next"`, `"nearest"` or `"linear"`
   */
  def fill(method: String): DataFrame = fill(method, null)

  /**
   * Like the other overload, with values at a distance of at most `maxGap` (see `functions.fill`).
   */
  def fill(method: String, maxGap: Any): DataFrame =
    rows.toDF().select(call(method, maxGap, null, null))

  /** The call of SQL's `resample`, which the analyzer replaces by a query. */
  private def call(fill: Any, maxGap: Any, averages: Any, method: Any): Column = Call(
    "resample",
    Call.absent,
    lit(quoted(Seq(time))),
    lit(every),
    lit(if (by.isEmpty) null else quoted(by)),
    lit(fill),
    lit(maxGap),
    Call.absent,
    lit(averages),
    lit(method)
  )
}

private[muntin] object Resampled {
  def apply(rows: Dataset[_], time: String, every: Any, by: Seq[String]): Resampled =
    new Resampled(rows, time, every, by)

  private def quoted(names: Seq[String]): String =
    names.map(name => "`" + name.replace("`", "``") + "`").mkString(", ")
}
