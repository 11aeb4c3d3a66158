package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.InvalidArgument
import org.apache.spark.sql.muntin.spark.OtherTrigger

/**
 * Windows over a stream run in micro-batches. Spark refuses other triggers, too, but with the error
 * of whatever it meets first (the sink, a watermark), or of an unknown type of trigger.
 */
object StreamTriggers extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case started @ OtherTrigger(trigger) if StreamStateStore.hasWindows(started.inputQuery) =>
        throw InvalidArgument(
          "writeStream",
          "trigger",
          s"$trigger: windows over a stream go from micro-batch to micro-batch; write " +
            "trigger(processingTime=\"1 second\"), or no trigger, for one micro-batch after the " +
            "other"
        )
      case _ =>
    }
    plan
  }
}
