package org.apache.spark.sql.muntin.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution,
  Partitioning
}
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.expressions.{GroupAggregate, GroupWindow, InvalidArgument}

/** Aggregates over the windows of groups, in one pass over the sorted rows. */
case class GroupWindowsExec(
    keys: Seq[Attribute],
    window: GroupWindow,
    windowAttribute: Attribute,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    known: Option[Expression],
    child: SparkPlan
) extends UnaryExecNode {

  @transient private lazy val plans: Seq[FunctionPlan] = functions.map { f =>
    WindowFunctions.plan(f.aggregated).getOrElse(throw notRun(f))
  }

  private def notRun(aggregate: GroupAggregate): AnalysisException =
    InvalidArgument(window.prettyName, "agg", s"${aggregate.sql}, which is not deterministic")

  override def nodeName: String = "MuntinGroupWindows"

  override def output: Seq[Attribute] = (keys :+ windowAttribute) ++ results

  override def producedAttributes: AttributeSet = outputSet -- keys

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = keys.map(SortOrder(_, Ascending))

  override def requiredChildDistribution: Seq[Distribution] =
    TogetherExec.distribution(keys) :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(keys.map(SortOrder(_, Ascending)) ++ window.order)

  override lazy val metrics: Map[String, SQLMetric] = OverMetrics.declared(sparkContext)

  override protected def doExecute(): RDD[InternalRow] = {
    val plan = window.plan(known.map(_.eval()))
    val (functionPlans, keyAttributes, struct) = (plans, keys, window.dataType)
    val function = window.prettyName
    val (types, input) = (functions.map(_.dataType), child.output)
    val groupMetrics = OverMetrics(metrics)
    child.execute().mapPartitionsInternal { rows =>
      if (rows.hasNext) {
        new GroupIterator(
          function,
          rows,
          plan,
          functionPlans,
          keyAttributes,
          struct,
          types,
          input,
          groupMetrics
        )
      } else Iterator.empty
    }
  }

  override def simpleString(maxFields: Int): String = {
    def list(items: Seq[Any]) = truncatedString(items, "[", ", ", "]", maxFields)
    s"$nodeName ${list(keys)}, $window AS $windowAttribute, ${list(functionsText)}"
  }

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |Input: ${child.output.mkString("[", ", ", "]")}
       |Group by: ${keys.mkString("[", ", ", "]")}
       |Window: $window AS $windowAttribute
       |${functionsText.map("Function: " + _).mkString("\n")}
       |""".stripMargin

  private def functionsText: Seq[String] =
    functions.zip(plans).map { case (f, plan) =>
      s"$f: ${if (window.scatters) plan.scatteredAccumulator else plan.accumulator}"
    }

  override protected def withNewChildInternal(newChild: SparkPlan): GroupWindowsExec =
    copy(child = newChild)
}

/** Rows of equal keys in one partition: what it asks for is what it gives. */
case class TogetherExec(keys: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    TogetherExec.distribution(keys) :: Nil

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): TogetherExec =
    copy(child = newChild)
}

object TogetherExec {
  def distribution(keys: Seq[Attribute]): Distribution =
    if (keys.isEmpty) AllTuples else ClusteredDistribution(keys)
}
