package org.apache.spark.sql.muntin.execution.panes

import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.rows.{OperatorMetrics, WindowsExec}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.muntin.expressions.common.GroupAggregate

/**
 * Computes partial aggregates by key and pane, over the rows of each task, before rows are
 * exchanged.
 */
case class PanePartialsExec(
    keys: Seq[Attribute],
    pane: Expression,
    bounds: Seq[GroupAggregate],
    partials: Seq[GroupAggregate],
    results: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode
    with WindowsExec {

  @transient private lazy val plan: PanePlan = PanePlan(
    keys,
    pane,
    bounds.map { b =>
      WindowFunctions.plan(
        b.aggregated
      ).getOrElse(throw new IllegalStateException(s"not planned: $b"))
    },
    PaneColumns.of(partials)._1,
    results.map(_.dataType),
    conf.getConf(MuntinConf.PanesChunkRows)
  )

  override def nodeName: String = "MuntinPanePartials"

  override def output: Seq[Attribute] = keys ++ results

  override def producedAttributes: AttributeSet = outputSet -- keys

  // If the rows of a key are in one task, they stay there.
  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case p: Expression if p.references.subsetOf(AttributeSet(keys)) => child.outputPartitioning
    case p => UnknownPartitioning(p.numPartitions)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val (panePlan, input) = (plan, child.output)
    val paneMetrics = OperatorMetrics(metrics)
    child.execute().mapPartitionsInternal { rows =>
      if (rows.hasNext) new PaneIterator(rows, panePlan, input, paneMetrics) else Iterator.empty
    }
  }

  override protected def parts: Seq[Any] = Seq(keys, pane, partials)

  override protected def details: Seq[(String, Any)] = Seq(
    "Input" -> child.output,
    "Group by" -> keys,
    "Pane" -> pane
  ) ++ partials.map("Function" -> _)

  override protected def withNewChildInternal(newChild: SparkPlan): PanePartialsExec =
    copy(child = newChild)
}
