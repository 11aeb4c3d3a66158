package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.execution.split.{
  Halo,
  MuntinSampleExec,
  ShuffleSample,
  SplittableExec,
  SplittablePairExec
}
import org.apache.spark.sql.muntin.spark.{LocalSort, RowShuffle}

/**
 * Has a sample drawn of rows that SplitWindows may split, while they are written to the shuffle.
 */
object PlaceSamples extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!conf.getConf(MuntinConf.SplitEnabled)) plan
    else {
      plan.transformUp {
        case windows: SplittableExec =>
          val order = windows.requiredChildOrdering.head
          windows.withNewChildren(Seq(sample(windows.child, order, windows.halo)))
        case windows: SplittablePairExec =>
          val order = windows.requiredChildOrdering.head
          windows.withNewChildren(
            Seq(sample(windows.left, order, Some(Halo.NoRows)), windows.right)
          )
      }
    }

  /** `halo`: None where nothing can be split. */
  private def sample(
      sorted: SparkPlan,
      order: Seq[SortOrder],
      halo: => Option[Halo]
  ): SparkPlan =
    sorted match {
      case sort @ (LocalSort(_, _) | _: MuntinSortExec) =>
        sort.children.head match {
          case RowShuffle(shuffle) if isToSample(shuffle) =>
            val drawn = halo.flatMap(h => sample(shuffle, h.columns(order), h.sought.conditions))
            drawn.fold(sort)(shuffled => sort.withNewChildren(Seq(shuffled)))
          case _ => sort
        }
      case other => other
    }

  private def sample(
      shuffle: RowShuffle,
      read: AttributeSet,
      conditions: Seq[Expression]
  ): Option[SparkPlan] = {
    val columns = shuffle.rows.output.filter(read.contains)
    Option.when(ShuffleSample.supports(shuffle.partitioning, columns)) {
      // Not named after the conditions, which may be long.
      val flags = conditions.map(Alias(_, "condition")())
      shuffle.withRows(MuntinSampleExec(columns ++ flags, shuffle.rows))
    }
  }

  private def isToSample(shuffle: RowShuffle): Boolean =
    shuffle.isRequired && !shuffle.rows.isInstanceOf[MuntinSampleExec]
}
