package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric

/** An operator that computes windows: its metrics, and how EXPLAIN shows it. */
trait WindowsExec extends SparkPlan {

  /** Returns the parts that EXPLAIN shows in one line; a Seq is a list in brackets. */
  protected def parts: Seq[Any]

  /** Returns the lines of EXPLAIN FORMATTED, each with its title. */
  protected def details: Seq[(String, Any)]

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.declared(sparkContext)

  override def simpleString(maxFields: Int): String = {
    val shown = parts.map {
      case items: Seq[_] => truncatedString(items.map(PlanText(_)), "[", ", ", "]", maxFields)
      case part => PlanText(part)
    }
    s"$nodeName ${shown.mkString(", ")}"
  }

  override def verboseStringWithOperatorId(): String = {
    val lines = details.map {
      case (title, items: Seq[_]) => s"$title: ${items.map(PlanText(_)).mkString("[", ", ", "]")}"
      case (title, item) => s"$title: ${PlanText(item)}"
    }
    (formattedNodeName +: lines).mkString("\n", "\n", "\n")
  }
}
