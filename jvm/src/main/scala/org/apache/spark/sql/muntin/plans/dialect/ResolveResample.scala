package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.{Resample, ResampleCall, TimeSteps}
import org.apache.spark.sql.muntin.expressions.common.{Arguments, GroupWindow}
import org.apache.spark.sql.muntin.spark.{GroupBy, MuntinAnalysisException}

/** Replaces resample by the query of its grid when its rows and its aggregates are resolved. */
object ResolveResample extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(GroupWindow.Pattern)) {
      case Project(Seq(Grid(call)), rows) if rows.resolved => query(call, Nil, rows)
      case aggregate @ GroupBy(Nil, Grid(call) +: aggregates, rows) =>
        if (rows.resolved && aggregates.forall(_.resolved)) query(call, aggregates, rows)
        else aggregate
      case other if other.childrenResolved =>
        val calls = other.expressions.flatMap(_.collect { case call: ResampleCall => call })
        if (calls.nonEmpty && calls.forall(_.childrenResolved)) throw Resample.noTable
        other
    }

  private object Grid {
    def unapply(column: NamedExpression): Option[ResampleCall] = column.children match {
      case Seq(call: ResampleCall) if call.childrenResolved => Some(call)
      case _ => None
    }
  }

  private def query(
      call: ResampleCall,
      aggregates: Seq[NamedExpression],
      rows: LogicalPlan
  ): LogicalPlan = {
    val read = new Arguments(Resample.name)
    // Its OVER clauses would begin again after a gap between steps, and not between rows.
    if (rows.isStreaming && SQLConf.get.getConf(MuntinConf.StreamTtl).isDefined) {
      throw read.error("MUNTIN_TTL_SETTING_OF_RESAMPLE", "setting" -> MuntinConf.StreamTtl.key)
    }
    val tables = ResampleTable.tables(read)
    val values = Resample.ofGrid.map(_.name).zip(call.arguments).toMap
    def argument(parameter: String): Option[Expression] = read.expression(values(parameter))

    val name = tables.column("time", tables.one("time", values("time")), rows)
    val time = rows.output.find(_.name == name).get
    val by = argument("by").toSeq.flatMap(tables.columns("by", _, rows))
    TimeSteps.units(read, "time", time, values("every")): Unit
    val grid = new TimeGrid(rows, time, values("every"), by)

    def without(way: String, parameter: String): Unit =
      argument(parameter).foreach { value =>
        throw read.error(
          "MUNTIN_ARGUMENT_WITHOUT_EFFECT",
          "parameter" -> parameter,
          "argument" -> value.sql,
          "required" -> way
        )
      }
    if (argument("fill").isEmpty) without("fill", "max_gap")
    if (argument("time_weighted_avg").isEmpty) without("time_weighted_avg", "method")

    val ways =
      argument("fill").map(_ => "fill") ++ Option.when(aggregates.nonEmpty)("aggregates") ++
        argument("time_weighted_avg").map(_ => "time_weighted_avg")
    ways.toSeq match {
      case Seq("fill") =>
        if (rows.output.exists(_.name.equalsIgnoreCase(TimeGrid.IsFilled))) {
          throw new MuntinAnalysisException("MUNTIN_DUPLICATE_FILLED_COLUMN")
        }
        grid.filled(values("fill"), values("max_gap"))
      case Seq("aggregates") => grid.aggregated(aggregates)
      case Seq(_) =>
        val columns = tables.columns("time_weighted_avg", values("time_weighted_avg"), rows)
        grid.timeWeightedAvg(columns, argument("method").getOrElse(Literal("locf")))
      case several =>
        val methods = if (several.isEmpty) "none" else several.mkString(", ")
        throw read.error("MUNTIN_RESAMPLE_REQUIRES_ONE_METHOD", "methods" -> methods)
    }
  }
}
