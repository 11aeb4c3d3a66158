package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.execution.rows.CommandExec
import org.apache.spark.unsafe.types.UTF8String

/** Refreshes a table of results, or lists the affected results, when its rows are read. */
case class RefreshExec(
    @transient query: LogicalPlan,
    @transient changes: Option[LogicalPlan],
    request: RefreshRequest,
    output: Seq[Attribute]
) extends CommandExec {
  override def nodeName: String = "MuntinRefresh"

  override protected def compute(): Seq[InternalRow] = {
    val refresh = new Refresh(session, query, changes, request)
    request.action match {
      case RefreshAction.List => refresh.affected()
      case _ => Seq(counts(refresh.run()))
    }
  }

  private def counts(done: Refresh.Summary): InternalRow = {
    def orNull(count: Option[Long]): Any = count.orNull
    InternalRow(
      orNull(done.keys),
      orNull(done.stretches),
      orNull(done.read),
      done.deleted,
      done.inserted,
      done.isWhole,
      done.cause.map(UTF8String.fromString).orNull
    )
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${request.target}"
}
