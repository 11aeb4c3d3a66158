package org.apache.spark.sql.muntin.execution.anchored

import io.muntin.kernel.Abilities
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.PlannedAggregates
import org.apache.spark.sql.muntin.execution.functions.{AggregatePlan, FrameKind}
import org.apache.spark.sql.muntin.execution.rows.{
  JoinedResults,
  KeyedRows,
  OperatorMetrics,
  SupportsRowAppend,
  WindowsExec
}
import org.apache.spark.sql.muntin.execution.split.{SortedInput, SplittablePairExec, TaskRows}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, RowFormatter}

/**
 * Aggregates the rows of `right` over the windows that the rows of `left` define, in one pass over
 * both. If it `isSplit`, the anchors of one key may be in several tasks, each with the rows that
 * the anchors reach: each SplitReadExec below has read them in chunks.
 *
 * @param planned
 *   the plans of the functions, which every copy of the node keeps
 */
case class AnchoredWindowsExec(
    anchorKeys: Seq[Attribute],
    sourceKeys: Seq[Attribute],
    bounds: AnchorBounds,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    left: SparkPlan,
    right: SparkPlan,
    isSplit: Boolean = false
)(@transient private val planned: PlannedAggregates)
    extends SplittablePairExec
    with WindowsExec {

  @transient private lazy val plans: Seq[AggregatePlan] = planned.of(functions)

  override protected def otherCopyArgs: Seq[AnyRef] = planned :: Nil

  override def nodeName: String = "MuntinAnchoredWindows"

  override def output: Seq[Attribute] = left.output ++ results

  override def producedAttributes: AttributeSet = AttributeSet(results)

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = inputs.head.order

  override def inputs: Seq[SortedInput] = Seq(
    SortedInput.ascending(anchorKeys, bounds.start, bounds.end),
    SortedInput.ascending(sourceKeys, bounds.time)
  )

  override def reached: (Option[Expression], Option[Expression]) =
    (Some(bounds.start), Some(bounds.end))

  override def split(readLeft: SparkPlan, readRight: SparkPlan): SparkPlan =
    copy(left = readLeft, right = readRight, isSplit = true)(planned)

  /** Returns how many fields are reserved in the anchors to have the results appended. */
  private def toReserve: Option[Int] = JoinedResults
    .toReserve(left.output, functions.map(_.dataType), left.output.size)
    .filter(SupportsRowAppend.canReserve(left))

  override protected def doExecute(): RDD[InternalRow] = {
    val (windows, functionPlans, types) = (bounds, plans, functions.map(_.dataType))
    val (ofAnchor, ofSource) = (anchorKeys, sourceKeys)
    val (anchorOutput, sourceOutput) = (left.output, right.output)
    val shown = RowFormatter(anchorOutput, conf.sessionLocalTimeZone)
    val anchoredMetrics = OperatorMetrics(metrics)
    val forceSpill = conf.getConf(MuntinConf.OverForceSpill)
    val reserved = toReserve
    TaskRows.zip(left, right, isSplit, reserved) { (anchors, source) =>
      new AnchoredIterator(
        new KeyedRows(anchors.sorted, ofAnchor, anchorOutput),
        new KeyedRows(source.sorted, ofSource, sourceOutput),
        source,
        windows,
        functionPlans,
        types,
        reserved,
        shown,
        anchoredMetrics,
        forceSpill
      )
    }
  }

  private def functionsText: Seq[String] =
    functions.zip(plans).map { case (f, plan) =>
      s"$f: ${Abilities.names(plan.abilitiesIn(if (plan.isNonMonotonic) FrameKind.NonMonotonic
        else FrameKind.Sliding))}"
    }

  override protected def parts: Seq[Any] =
    Seq[Any](anchorKeys, sourceKeys, bounds.text, functionsText) ++ Option.when(isSplit)("split")

  override protected def details: Seq[(String, Any)] = Seq(
    "Keys of anchors" -> anchorKeys,
    "Keys of source" -> sourceKeys,
    "Window" -> bounds.text,
    SupportsRowAppend.detail(toReserve)
  ) ++ functionsText.map("Function" -> _)

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): AnchoredWindowsExec = copy(left = newLeft, right = newRight)(planned)
}
