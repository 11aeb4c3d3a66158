package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.{Arguments, Resample, TimeSteps}
import org.apache.spark.sql.muntin.spark.ArgumentsInOrder

/** The table function resample: what its arguments ask of the grid. */
object ResampleTable {
  private val parameters = Resample.parameters

  private val ways = Seq("fill", "aggregates", "time_weighted_avg")

  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Resample.name)
    val tables = new TableArguments(
      read,
      "the columns of the groups are said by by => 'k'",
      {
        case "aggregates" => "avg(x) AS mean, count(*) AS n"
        case "time" => "t"
        case "by" => "k, l"
        case _ => "x, y"
      }
    )
    val values = parameters.map(_.name).zip(ArgumentsInOrder(Resample.name, parameters, arguments))
      .toMap
    def said(parameter: String): Option[Expression] = read.expression(values(parameter))

    val rows = tables.table("rows", values("rows"))
    if (rows.isStreaming) {
      throw read.invalid(
        "rows",
        "a stream, whose groups have no last row; group by ticks(…) or field_window(…), or join " +
          "a table that ticks to it ON asof(…)"
      )
    }
    val time = tables.column("time", tables.one("time", values("time")), rows)
    val by = said("by").toSeq.flatMap(tables.columns("by", _, rows))
    val attribute = rows.output.find(_.name == time).get
    TimeSteps.units(read, "time", attribute, values("every"))
    val grid = new TimeGrid(rows, time, values("every"), by)

    def without(way: String, parameter: String): Unit =
      said(parameter).foreach { value =>
        throw read.invalid(parameter, s"${value.sql} without $way, to which it belongs")
      }
    if (said("fill").isEmpty) without("fill", "max_gap")
    if (said("time_weighted_avg").isEmpty) without("time_weighted_avg", "method")

    ways.filter(said(_).isDefined) match {
      case Seq("fill") =>
        if (rows.output.exists(_.name.equalsIgnoreCase(TimeGrid.Filled))) {
          throw read.invalid("rows", s"a table with a column ${TimeGrid.Filled}; rename it")
        }
        grid.filled(values("fill"), said("max_gap"))
      case Seq("aggregates") => grid.aggregated(tables.list("aggregates", values("aggregates")))
      case Seq(_) =>
        val columns = tables.columns("time_weighted_avg", values("time_weighted_avg"), rows)
        val method = said("method").fold("locf")(read.word("method", _, Seq("locf", "linear")))
        grid.timeWeightedAvg(columns, method)
      case several =>
        val found =
          if (several.isEmpty) "left out"
          else s"there beside ${several.tail.mkString(" and ")}"
        throw read.invalid(
          several.headOption.getOrElse("fill"),
          s"$found; expected is one of fill => 'last', aggregates => 'avg(x) AS mean' and " +
            "time_weighted_avg => 'x'"
        )
    }
  }
}
