package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.execution.rows.CommandExec

/** Refreshes a table of results when its row is read. */
case class RefreshExec(
    @transient query: LogicalPlan,
    @transient changes: LogicalPlan,
    request: RefreshRequest,
    output: Seq[Attribute]
) extends CommandExec {
  override def nodeName: String = "MuntinRefresh"

  override protected def compute(): Seq[InternalRow] = {
    val done = new Refresh(session, query, changes, request).run()
    Seq(InternalRow(done.keys, done.stretches, done.deleted, done.inserted))
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${request.target}"
}
