package org.apache.spark.sql.muntin.plans.physical

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.exchange.{
  ColumnExchangeExec,
  FilteredColumnsExec,
  ProjectedColumnsExec
}
import org.apache.spark.sql.muntin.execution.sort.{MuntinSortExec, SortKeys}
import org.apache.spark.sql.muntin.execution.split.{
  Halo,
  MuntinSampleExec,
  ShuffleSample,
  SortedInput,
  SortedInputExec
}
import org.apache.spark.sql.muntin.spark.{ColumnsToRows, LocalSort, RowShuffle}

/**
 * Places the operators that provide sorted rows below the operators that require them. Muntin's
 * sort sorts the rows. Its exchange transfers them column by column; if Spark's operator reads the
 * same rows, both operators read one exchange. If SplitWindows may split the rows, they are sampled
 * while they are written to the exchange.
 *
 *     MuntinWindow [k], [t]                      MuntinWindow [k], [t]
 *     +- Sort [k, t]                             +- MuntinSort [k, t]
 *        +- Exchange hashpartitioning(k)            +- MuntinExchange hashpartitioning(k)
 *           +- ColumnarToRow                           +- MuntinSample [k, t]
 *              +- FileScan                                +- FileScan
 */
object PlaceInputs extends Rule[SparkPlan] {

  /**
   * For plans without adaptive execution. Spark calls only columnar rules after it has added sorts
   * and exchanges to such a plan. The rows are not sampled because no partition is split.
   */
  object WithoutStages extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = placed(_, areSampled = false)

    override def postColumnarTransitions: Rule[SparkPlan] = PassColumnarBatches
  }

  override def apply(plan: SparkPlan): SparkPlan =
    placed(plan, areSampled = conf.getConf(MuntinConf.SplitEnabled))

  private def placed(plan: SparkPlan, areSampled: Boolean): SparkPlan = {
    val areSorted = conf.getConf(MuntinConf.SortEnabled)
    val areExchanged = conf.getConf(MuntinConf.ExchangeEnabled)
    plan.transformUp { case reader: SortedInputExec =>
      val (read, others) = reader.children.splitAt(reader.inputs.size)
      val inOrder = read.zip(reader.inputs).map { case (child, input) =>
        if (areSorted) sorted(child, input) else child
      }
      val inSample =
        if (areSampled) sampled(inOrder.head, reader.inputs.head, reader.halo) +: inOrder.tail
        else inOrder
      reader.withNewChildren((if (areExchanged) inSample.map(exchanged) else inSample) ++ others)
    }
  }

  private def sorted(plan: SparkPlan, input: SortedInput): SparkPlan = {
    val groups = input.keys.size
    plan match {
      case LocalSort(order, child) if SortKeys.support(order, groups) =>
        val hasBuckets = input.inAnyOrder && SortKeys.haveBuckets(order.take(groups).map(_.child))
        MuntinSortExec(order, groups, child, hasBuckets)
      // Window functions that are left to Spark run over the same sort.
      case _: WindowExec => plan.mapChildren(sorted(_, input.copy(inAnyOrder = false)))
      case other => other
    }
  }

  private def sampled(plan: SparkPlan, input: SortedInput, halo: => Option[Halo]): SparkPlan =
    (plan, plan.children) match {
      case (LocalSort(_, _) | _: MuntinSortExec, Seq(RowShuffle(shuffle)))
          if shuffle.isRequired && !shuffle.rows.isInstanceOf[MuntinSampleExec] =>
        halo.flatMap(sample(shuffle, input, _)).fold(plan)(s => plan.withNewChildren(Seq(s)))
      case _ => plan
    }

  private def sample(shuffle: RowShuffle, input: SortedInput, halo: Halo): Option[SparkPlan] = {
    val columns = shuffle.rows.output.filter(halo.columns(input.order).contains)
    Option.when(ShuffleSample.supports(shuffle.partitioning, columns)) {
      // Not named after the conditions, which may be long.
      val flags = halo.requiredMatches.conditions.map(Alias(_, "condition")())
      shuffle.withRows(MuntinSampleExec(columns ++ flags, shuffle.rows))
    }
  }

  private def exchanged(plan: SparkPlan): SparkPlan = plan match {
    case RowShuffle(shuffle)
        if shuffle.isOfRows && shuffle.isRequired &&
          ColumnExchangeExec.supports(shuffle.partitioning) =>
      ColumnExchangeExec(shuffle.partitioning, shuffle.rows, shuffle.origin)
    case LocalSort(_, _) | _: MuntinSortExec | _: WindowExec | _: ProjectExec =>
      plan.mapChildren(exchanged)
    case other => other
  }
}

/** Passes columnar batches to an exchange of columns, where Spark would convert them to rows. */
private object PassColumnarBatches extends Rule[SparkPlan] {
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
    // Like a cached table, it also provides rows.
    case other => if (other.supportsColumnar) Some(other) else None
  }
}
