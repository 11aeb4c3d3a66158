package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{SortExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec}
import org.apache.spark.sql.muntin.MuntinConf
import org.apache.spark.sql.muntin.execution.{
  MuntinSampleExec,
  MuntinSortExec,
  MuntinWindowExec,
  ShuffleSample
}

/** Has a sample drawn of the rows that SplitWindows may split, while they are written to the shuffle. */
object PlaceSamples extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!conf.getConf(MuntinConf.SplitEnabled)) plan
    else {
      plan.transformUp { case window: MuntinWindowExec =>
        window.child match {
          case sort @ (SortExec(_, false, _, _) | _: MuntinSortExec) =>
            val sampled = sort.withNewChildren(sort.children.map(sample(_, window)))
            window.withNewChildren(Seq(sampled))
          case _ => window
        }
      }
    }

  private def sample(plan: SparkPlan, window: MuntinWindowExec): SparkPlan = plan match {
    case exchange: ShuffleExchangeExec if isToSample(exchange) =>
      val read = AttributeSet(window.requiredChildOrdering.head.flatMap(_.references))
      val columns = exchange.child.output.filter(read.contains)
      if (ShuffleSample.supports(exchange.outputPartitioning, columns) && window.halo.isDefined) {
        exchange.withNewChildren(Seq(MuntinSampleExec(columns, exchange.child)))
      } else exchange
    case other => other
  }

  private def isToSample(exchange: ShuffleExchangeExec): Boolean =
    exchange.shuffleOrigin == ENSURE_REQUIREMENTS &&
      !exchange.child.isInstanceOf[MuntinSampleExec]
}
