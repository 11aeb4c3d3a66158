package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.anchored.CheckedAnchorsExec
import org.apache.spark.sql.muntin.execution.exchange.{
  ColumnExchangeExec,
  FilteredColumnsExec,
  ProjectedColumnsExec
}
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.execution.over.MuntinWindowExec
import org.apache.spark.sql.muntin.execution.overlaps.OverlapJoinExec
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.execution.split.{MuntinSampleExec, SplittablePairExec}
import org.apache.spark.sql.muntin.spark.{ColumnsToRows, LocalSort, RowShuffle}
import org.apache.spark.sql.muntin.streaming.StreamWindowsExec

/**
 * Exchanges what Muntin's operators read column by column, in the place of Spark's exchange. Where
 * an operator of Spark's reads the same rows, one of the two exchanges is read by both.
 *
 *     MuntinWindow [k], [t]                      MuntinWindow [k], [t]
 *     +- MuntinSort [k, t]                       +- MuntinSort [k, t]
 *        +- Exchange hashpartitioning(k)            +- MuntinExchange hashpartitioning(k)
 *           +- ColumnarToRow                           +- FileScan
 *              +- FileScan
 */
object PlaceColumnExchange extends Rule[SparkPlan] {

  /**
   * What goes before and behind Spark's own steps between columns and rows. Without adaptive
   * execution, Spark calls only columnar rules after it has added exchanges.
   */
  object InColumns extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = PlaceColumnExchange

    override def postColumnarTransitions: Rule[SparkPlan] = TakeColumns
  }

  override def apply(plan: SparkPlan): SparkPlan =
    if (!SQLConf.get.getConf(MuntinConf.ExchangeEnabled)) plan
    else {
      val read = plan.collect {
        case windows: MuntinWindowExec => below(windows)
        case windows: GroupWindowsExec => below(windows)
        // A join by time, or one with rows around anchors.
        case pair: SplittablePairExec => below(pair)
        case join: OverlapJoinExec => below(join)
        case stream: StreamWindowsExec => exchange(stream.rows)
      }.flatten
      if (read.isEmpty) plan
      else
        plan.transformDown {
          case exchange @ RowShuffle(shuffle) if read.exists(_ eq exchange) =>
            ColumnExchangeExec(shuffle.partitioning, shuffle.rows, shuffle.origin)
        }
    }

  private def below(windows: SparkPlan): Seq[SparkPlan] = windows.children.flatMap(exchange)

  /** The exchange that brings the rows of each partition together. */
  private def exchange(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case RowShuffle(shuffle) =>
      val isTaken = shuffle.isOfRows && shuffle.isRequired &&
        ColumnExchangeExec.supports(shuffle.partitioning)
      if (isTaken) Seq(plan) else Nil
    case LocalSort(_, child) => exchange(child)
    case sort: MuntinSortExec => exchange(sort.child)
    case windows: MuntinWindowExec => exchange(windows.child)
    case windows: WindowExec => exchange(windows.child)
    case project: ProjectExec => exchange(project.child)
    case checked: CheckedAnchorsExec => checked.children.flatMap(exchange)
    case _ => Nil
  }
}

/** Hands an exchange of columns the column batches that Spark would make rows of. */
private object TakeColumns extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transform {
    case exchange: ColumnExchangeExec =>
      columns(exchange.child).fold[SparkPlan](exchange)(c => exchange.withNewChildren(Seq(c)))
  }

  private def columns(plan: SparkPlan): Option[SparkPlan] = plan match {
    case ColumnsToRows(columns) => Some(columns)
    case ProjectExec(list, child) if ProjectedColumnsExec.supports(list) =>
      columns(child).map(ProjectedColumnsExec(list, _))
    case FilterExec(condition, child) if FilteredColumnsExec.supports(condition, child.output) =>
      columns(child).map(FilteredColumnsExec(condition, _))
    case sample: MuntinSampleExec if !sample.inColumns =>
      columns(sample.child).map(c => sample.copy(child = c, inColumns = true))
    // It has rows, too, as a cached table has.
    case other => if (other.supportsColumnar) Some(other) else None
  }
}
