package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.PlannedAggregates
import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.rows.{
  KeyClustering,
  OperatorMetrics,
  PlanText,
  WindowsExec
}
import org.apache.spark.sql.muntin.execution.split.{Halo, SortedInput, SplittableExec, TaskRows}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.{
  OrderPreservingUnaryExecNode,
  PartitioningPreservingUnaryExecNode,
  SparkPlan,
  UnaryExecNode
}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.expressions.common.GroupAggregate
import org.apache.spark.sql.muntin.spark.EqualBytes

/**
 * Aggregates over GROUP BY windows, in one pass over the sorted rows. `outputExpressions` are keys,
 * the window and results, or aliases of them. If it `isSplit`, the windows of one group may be in
 * several tasks.
 *
 * @param planned
 *   the plans of the functions, which every copy of the node keeps
 */
case class GroupWindowsExec(
    keys: Seq[Attribute],
    plan: GroupWindowPlan,
    windowAttribute: Attribute,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    globalValue: Option[Expression],
    outputExpressions: Seq[NamedExpression],
    child: SparkPlan,
    isSplit: Boolean = false
)(@transient private val planned: PlannedAggregates)
    extends SplittableExec
    with WindowsExec
    with PartitioningPreservingUnaryExecNode
    with OrderPreservingUnaryExecNode {

  @transient private lazy val functionPlans: Seq[AggregatePlan] = planned.of(functions)

  override protected def otherCopyArgs: Seq[AnyRef] = planned :: Nil

  override def nodeName: String = "MuntinGroupWindows"

  override def output: Seq[Attribute] = outputExpressions.map(_.toAttribute)

  override def producedAttributes: AttributeSet =
    AttributeSet(windowAttribute +: (results ++ output)) -- keys

  override protected def orderingExpressions: Seq[SortOrder] = {
    val times = plan.ascending.map { i =>
      GetStructField(windowAttribute, i, Some(plan.dataType(i).name))
    }
    keys.map(SortOrder(_, Ascending)) ++
      times.headOption.map(SortOrder(_, Ascending, NullsFirst, times.tail))
  }

  private def layout: GroupLayout = {
    val fields = (keys :+ windowAttribute) ++ results
    val places = outputExpressions.map { e =>
      fields.indexWhere(_.semanticEquals(GroupWindowsExec.bare(e)))
    }
    GroupLayout(keys, plan.dataType, functions.map(_.dataType)).copy(places = places)
  }

  override def inputs: Seq[SortedInput] = Seq(SortedInput(keys, plan.window.order))

  // If keys compare as equal, but differ, the first row's key is emitted.
  override def halo: Option[Halo] =
    if (keys.forall(k => EqualBytes.areIn(k.dataType))) plan.halo(functionPlans) else None

  override def split(read: SparkPlan): GroupWindowsExec =
    copy(child = read, isSplit = true)(planned)

  override protected def doExecute(): RDD[InternalRow] = {
    val allGroups = AllGroups(globalValue.flatMap(value => Option(value.eval())))
    val (windows, aggregates) = (plan, functionPlans)
    val (keyAttributes, groupLayout, input) = (keys, layout, child.output)
    val groupMetrics = OperatorMetrics(metrics)
    val forceSpill = conf.getConf(MuntinConf.OverForceSpill)
    TaskRows.map(child, isSplit) { rows =>
      if (rows.sorted.hasNext) {
        new GroupIterator(
          rows,
          windows,
          allGroups,
          aggregates,
          keyAttributes,
          groupLayout,
          input,
          groupMetrics,
          forceSpill
        )
      } else Iterator.empty
    }
  }

  override protected def parts: Seq[Any] =
    Seq[Any](keys, windowText, functionsText) ++ Option.when(isSplit)("split")

  override protected def details: Seq[(String, Any)] = Seq(
    "Input" -> child.output,
    "Group by" -> keys,
    "Window" -> windowText
  ) ++ functionsText.map("Function" -> _)

  private def windowText: String = s"${PlanText(plan)} AS $windowAttribute"

  private def functionsText: Seq[String] =
    functions.zip(functionPlans).map { case (f, of) => s"$f: ${plan.accumulators(of)}" }

  override protected def withNewChildInternal(newChild: SparkPlan): GroupWindowsExec =
    copy(child = newChild)(planned)
}

object GroupWindowsExec {

  /** Returns the output field that an alias refers to. */
  private[muntin] def bare(expression: Expression): Expression = expression match {
    case Alias(child, _) => child
    case other => other
  }
}

/**
 * Passes rows on, and requires that the rows of equal keys are in one partition, so that Spark
 * exchanges them.
 */
case class ClusteredByKeysExec(keys: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {
  override def nodeName: String = "MuntinClusteredRows"

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    KeyClustering(keys) :: Nil

  override protected def doExecute(): RDD[InternalRow] = {
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    child.execute().mapPartitionsInternal(_.map { row =>
      outputRows += 1L
      row
    })
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ClusteredByKeysExec =
    copy(child = newChild)
}
