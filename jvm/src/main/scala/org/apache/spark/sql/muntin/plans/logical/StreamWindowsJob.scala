package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Alias, RuntimeReplaceable}
import org.apache.spark.sql.muntin.execution.over.OverPlan
import org.apache.spark.sql.muntin.expressions.common.StreamFunction
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.muntin.streaming.OverJob

/** Plans the job of a StreamWindows node. */
private[plans] object StreamWindowsJob {
  def apply(windows: StreamWindows): OverJob = {
    val outputs = windows.functions.zip(windows.results).map { case (f, r) =>
      val replaced = f.transform { case function: RuntimeReplaceable => function.replacement }
      Alias(StreamFunction.shown(replaced), r.name)(exprId = r.exprId)
    }
    val plan = OverPlan.of(outputs).getOrElse {
      val notRun = outputs.find(!OverPlan.supports(_))
      throw new MuntinAnalysisException(
        "MUNTIN_UNSUPPORTED_FUNCTION_ON_STREAM",
        "window" -> notRun.fold("")(_.child.sql)
      )
    }
    OverJob(
      outputs,
      plan,
      windows.partitionSpec,
      windows.orderSpec,
      windows.child.output,
      windows.revision,
      windows.ttl
    )
  }
}
