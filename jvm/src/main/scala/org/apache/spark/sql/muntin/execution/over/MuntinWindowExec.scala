package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.rows.{OperatorMetrics, SupportsRowAppend, WindowsExec}
import org.apache.spark.sql.muntin.execution.split.{Halo, SortedInput, SplittableExec, TaskRows}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.SparkPlan

/**
 * Runs window functions over sorted rows, for little more than the cost of the sort. It replaces
 * Spark's WindowExec, with the same input, output and order. If it `isSplit`, the rows of one
 * partition may be in several tasks: a SplitReadExec below has read them in chunks.
 *
 * @param unread
 *   how many of the child's last columns no downstream operator reads: they are not emitted
 * @param planned
 *   the plan of the functions, which every copy of the node keeps
 */
case class MuntinWindowExec(
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan,
    unread: Int = 0,
    isSplit: Boolean = false
)(@transient private val planned: OverPlan)
    extends SplittableExec
    with SupportsRowAppend
    with WindowsExec {

  /**
   * The plan that the node runs: planned again if a rule has replaced an expression in a function.
   */
  @transient lazy val plan: OverPlan = Some(planned).filter(_.isOf(windowExpression))
    .orElse(OverPlan.of(windowExpression))
    .getOrElse(throw new IllegalStateException(s"not planned: $windowExpression"))

  override protected def otherCopyArgs: Seq[AnyRef] = planned :: Nil

  override def nodeName: String = "MuntinWindow"

  override def output: Seq[Attribute] =
    child.output.dropRight(unread) ++ windowExpression.map(_.toAttribute)

  override def outputOrdering: Seq[SortOrder] =
    child.outputOrdering.takeWhile(_.references.subsetOf(outputSet))

  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case by: Expression if unread > 0 && !by.references.subsetOf(outputSet) =>
      UnknownPartitioning(by.numPartitions)
    case other => other
  }

  override def inputs: Seq[SortedInput] = Seq(SortedInput(partitionSpec, orderSpec))

  override def canReserve(fields: Int): Boolean = toReserve(fields).isDefined

  /** Returns how many fields the child reserves for results and `after` fields after them. */
  private def toReserve(after: Int): Option[Int] = OverResults
    .toReserve(plan, windowExpression, child.output, child.output.size - unread, after)
    .filter(SupportsRowAppend.canReserve(child))

  override protected def rowsWith(fields: Int): RDD[InternalRow] = {
    val (overPlan, reserved) = (plan, toReserve(fields))
    val (outputs, partition, order, input) =
      (windowExpression, partitionSpec, orderSpec, child.output)
    val inputColumns = input.size - unread
    val overMetrics = OperatorMetrics(metrics)
    val forceSpill = conf.getConf(MuntinConf.OverForceSpill)
    TaskRows.map(child, isSplit, reserved) { rows =>
      if (rows.chunk.isDefined || rows.sorted.hasNext) {
        new OverIterator(
          rows,
          overPlan,
          outputs,
          partition,
          order,
          input,
          inputColumns,
          reserved,
          overMetrics,
          forceSpill
        )
      } else Iterator.empty
    }
  }

  override def halo: Option[Halo] = OverHalo(plan, orderSpec)

  override def split(read: SparkPlan): MuntinWindowExec =
    copy(child = read, isSplit = true)(planned)

  override protected def parts: Seq[Any] = {
    val shared = Seq(windowExpression, partitionSpec, orderSpec, framesText)
    val without = child.output.takeRight(unread).map(_.name).mkString(", ")
    shared ++
      Seq(Option.when(unread > 0)(s"without $without"), Option.when(isSplit)("split")).flatten
  }

  override protected def details: Seq[(String, Any)] = Seq(
    "Input" -> child.output,
    "Arguments" -> windowExpression,
    "Partition by" -> partitionSpec,
    "Order by" -> orderSpec,
    SupportsRowAppend.detail(toReserve(0))
  ) ++ framesText.map("Frame" -> _)

  private def framesText: Seq[String] = plan.frames.map { frame =>
    val parts = frame.functions.map(f => s"${f.window.windowFunction}: ${f.accumulators}")
    s"${frame.motion.sql} (${parts.mkString("; ")})"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): MuntinWindowExec =
    copy(child = newChild)(planned)
}
