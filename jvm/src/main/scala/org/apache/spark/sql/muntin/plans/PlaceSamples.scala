package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{SortExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec}
import org.apache.spark.sql.muntin.MuntinConf
import org.apache.spark.sql.muntin.execution.anchored.AnchoredWindowsExec
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.execution.split.{
  Halo,
  MuntinSampleExec,
  ShuffleSample,
  SplittableExec
}

/** Has a sample drawn of the rows that SplitWindows may split, while they are written to the shuffle. */
object PlaceSamples extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!conf.getConf(MuntinConf.SplitEnabled)) plan
    else {
      plan.transformUp {
        case windows: SplittableExec =>
          val order = windows.requiredChildOrdering.head
          windows.withNewChildren(Seq(sample(windows.child, windows.halo.map(_.columns(order)))))
        case windows: AnchoredWindowsExec =>
          val columns = Halo.NoRows.columns(windows.requiredChildOrdering.head)
          windows.withNewChildren(Seq(sample(windows.left, Some(columns)), windows.right))
      }
    }

  /** `columns`: those that tell where to cut; None where nothing can be split. */
  private def sample(sorted: SparkPlan, columns: => Option[AttributeSet]): SparkPlan =
    sorted match {
      case sort @ (SortExec(_, false, _, _) | _: MuntinSortExec) =>
        sort.children.head match {
          case exchange: ShuffleExchangeExec if isToSample(exchange) =>
            columns.fold(sort)(c => sort.withNewChildren(Seq(sample(exchange, c))))
          case _ => sort
        }
      case other => other
    }

  private def sample(exchange: ShuffleExchangeExec, read: AttributeSet): SparkPlan = {
    val columns = exchange.child.output.filter(read.contains)
    if (ShuffleSample.supports(exchange.outputPartitioning, columns)) {
      exchange.withNewChildren(Seq(MuntinSampleExec(columns, exchange.child)))
    } else exchange
  }

  private def isToSample(exchange: ShuffleExchangeExec): Boolean =
    exchange.shuffleOrigin == ENSURE_REQUIREMENTS &&
      !exchange.child.isInstanceOf[MuntinSampleExec]
}
