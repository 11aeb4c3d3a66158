package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.frames.{FramePlan, MotionPlan, WindowFunctions}
import org.apache.spark.sql.muntin.execution.functions.FunctionPlan
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/** A window function in its frame, and the field of the result row that it fills. */
final case class PlannedFunction(
    window: WindowExpression,
    frame: MotionPlan,
    function: FunctionPlan,
    ordinal: Int
) {
  def dataType: DataType = window.dataType
}

/**
 * What an operator computes: every window function below its output expressions, once, by frame.
 * Made at planning, shown by EXPLAIN, sent to the tasks.
 */
final case class OverPlan(functions: Seq[PlannedFunction]) {

  /** The frames, in the order of their first function. */
  lazy val frames: Seq[(MotionPlan, Seq[PlannedFunction])] =
    functions.map(_.frame).distinct.map(f => f -> functions.filter(_.frame == f))
}

object OverPlan {

  /** The plan for these output expressions; None if one of them holds what Muntin does not run. */
  def of(outputs: Seq[NamedExpression], timeZone: String): Option[OverPlan] = {
    val windows = outputs.flatMap(_.collect { case w: WindowExpression => w }).distinct
    val planned = windows.zipWithIndex.map { case (window, ordinal) =>
      for {
        frame <- FramePlan.of(window, timeZone)
        function <- WindowFunctions.plan(window)
      } yield PlannedFunction(window, frame, function, ordinal)
    }
    if (windows.nonEmpty && planned.forall(_.isDefined)) Some(OverPlan(planned.flatten)) else None
  }
}
