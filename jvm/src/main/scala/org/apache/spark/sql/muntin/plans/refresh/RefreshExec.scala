package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.execution.rows.CommandExec
import org.apache.spark.unsafe.types.UTF8String

/** Refreshes a table of results when its row is read. */
case class RefreshExec(
    @transient query: LogicalPlan,
    @transient changes: Option[LogicalPlan],
    request: RefreshRequest,
    output: Seq[Attribute]
) extends CommandExec {
  override def nodeName: String = "MuntinRefresh"

  override protected def compute(): Seq[InternalRow] = {
    val done = new Refresh(session, query, changes, request).run()
    def orNull(count: Option[Long]): Any = count.orNull
    Seq(InternalRow(
      orNull(done.keys),
      orNull(done.stretches),
      orNull(done.read),
      done.deleted,
      done.inserted,
      done.isWhole,
      done.cause.map(UTF8String.fromString).orNull
    ))
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${request.target}"
}
