package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.{Pending, WindowBy}
import org.apache.spark.sql.muntin.expressions.common.{GroupWindow, InvalidArgument}
import org.apache.spark.sql.muntin.plans.logical.PendingOf
import org.apache.spark.sql.muntin.spark.Streams

/** Rejects windows over streams if Spark lacks a feature that they need. */
object RefuseStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    Streams.refusal.foreach(why => plan.foreach(check(_, why)))
    plan
  }

  private def check(node: LogicalPlan, why: String): Unit = node match {
    case _: PendingOf => throw InvalidArgument(Pending.name, "query", s"a stream, $why")
    case window: Window if window.child.isStreaming =>
      throw InvalidArgument("OVER", "PARTITION BY", s"a window over a stream, $why")
    case other if other.isStreaming =>
      for {
        expression <- other.expressions
        function <- expression.collectFirst(OfWindows)
      } throw InvalidArgument(function, "window", s"a window over a stream, $why")
    case _ =>
  }

  private val OfWindows: PartialFunction[Expression, String] = {
    case window: GroupWindow => window.prettyName
    case _: WindowBy => WindowBy.name
  }
}
