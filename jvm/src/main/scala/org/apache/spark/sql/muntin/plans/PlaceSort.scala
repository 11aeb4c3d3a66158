package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.anchored.CheckedAnchorsExec
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.execution.over.MuntinWindowExec
import org.apache.spark.sql.muntin.execution.overlaps.OverlapJoinExec
import org.apache.spark.sql.muntin.execution.sort.{MuntinSortExec, SortKeys}
import org.apache.spark.sql.muntin.execution.split.SplittablePairExec
import org.apache.spark.sql.muntin.spark.LocalSort
import org.apache.spark.sql.muntin.streaming.StreamWindowsExec

/** Sorts what Muntin's operators read with Muntin's sort. */
object PlaceSort extends Rule[SparkPlan] {

  /**
   * For plans without adaptive execution, where Spark calls only columnar rules after it has added
   * sorts.
   */
  object WithoutStages extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = PlaceSort
  }

  override def apply(plan: SparkPlan): SparkPlan =
    if (!SQLConf.get.getConf(MuntinConf.SortEnabled)) plan
    else {
      plan.transformUp {
        case windows: MuntinWindowExec =>
          windows.withNewChildren(Seq(sorted(windows.child, windows.partitionSpec.size)))
        case windows: GroupWindowsExec =>
          windows.withNewChildren(Seq(sorted(windows.child, windows.keys.size)))
        case pair: SplittablePairExec =>
          pair.withNewChildren(pair.children.map(sorted(_, pair.pairKeys._1.size)))
        case join: OverlapJoinExec =>
          join.withNewChildren(join.children.map(sorted(_, join.leftKeys.size)))
        case windows: StreamWindowsExec =>
          windows.withNewChildren(
            windows.children.map(sorted(_, windows.job.keys.size, inAnyOrder = true))
          )
      }
    }

  private def sorted(plan: SparkPlan, groups: Int, inAnyOrder: Boolean = false): SparkPlan =
    plan match {
      case LocalSort(order, child) if SortKeys.support(order, groups) =>
        val hasBuckets = inAnyOrder && SortKeys.haveBuckets(order.take(groups).map(_.child))
        MuntinSortExec(order, groups, child, hasBuckets)
      // What Muntin leaves to Spark is over the same sort.
      case windows: WindowExec =>
        windows.withNewChildren(Seq(sorted(windows.child, groups, inAnyOrder = false)))
      case checked: CheckedAnchorsExec =>
        checked.withNewChildren(checked.children.map(sorted(_, groups, inAnyOrder = false)))
      case other => other
    }
}
