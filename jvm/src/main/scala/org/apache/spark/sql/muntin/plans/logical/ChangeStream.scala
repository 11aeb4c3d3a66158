package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.streaming.ChangeRequest
import org.apache.spark.sql.types.{IntegerType, StringType}

/** The table functions compare and change, while their query is being resolved. */
final case class UnresolvedChange(
    child: LogicalPlan,
    request: ChangeRequest,
    output: Seq[Attribute] = ChangeStream.columns
) extends UnaryNode {
  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): UnresolvedChange =
    copy(child = newChild)
}

/**
 * Compares a changed query with a checkpoint when its rows are read: one for each window function.
 * Copies the checkpoint for the query, if the request has a folder for the copy. The query is not a
 * child, because Spark does not run a stream in a batch.
 */
final case class ChangeStream(
    query: LogicalPlan,
    request: ChangeRequest,
    output: Seq[Attribute]
) extends CheckpointNode {
  override def newInstance(): ChangeStream = copy(output = output.map(_.newInstance()))

  override def innerChildren: Seq[QueryPlan[_]] = Seq(query)

  override def simpleString(maxFields: Int): String = s"ChangeStream $request"
}

object ChangeStream {
  private[logical] def columns: Seq[Attribute] = Seq(
    AttributeReference("operator", IntegerType)(),
    AttributeReference("window", StringType, nullable = false)(),
    AttributeReference("function", StringType)(),
    AttributeReference("action", StringType, nullable = false)(),
    AttributeReference("reason", StringType)()
  )
}
