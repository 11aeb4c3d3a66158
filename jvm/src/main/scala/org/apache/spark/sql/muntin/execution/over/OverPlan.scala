package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.frames.{
  FramePlan,
  PlannedFrame,
  PlannedFunction,
  WindowFunctions
}
import org.apache.spark.sql.catalyst.expressions._

/**
 * What an operator computes: every window function in its output expressions, once, by frame. Made
 * at planning, shown by EXPLAIN, sent to the tasks.
 */
final case class OverPlan(functions: Seq[PlannedFunction]) {

  /** The frames, in the order of their first function. */
  lazy val frames: Seq[PlannedFrame] =
    functions.map(_.frame).distinct.map(f => PlannedFrame(f, functions.filter(_.frame == f)))

  /** Whether every row has its results as soon as the row has arrived. */
  def isImmediate: Boolean = frames.forall(_.motion.isImmediate)

  /** The same as soon as its peers have arrived. */
  def endsWithPeers: Boolean = frames.forall(_.motion.endsWithPeers)
}

object OverPlan {

  /** The plan for these output expressions; None if one of them holds what Muntin does not run. */
  def of(outputs: Seq[NamedExpression], timeZone: String): Option[OverPlan] = {
    val windows = outputs.flatMap(_.collect { case w: WindowExpression => w }).distinct
    val planned = windows.zipWithIndex.map { case (window, ordinal) =>
      for {
        frame <- FramePlan.of(window, timeZone)
        function <- WindowFunctions.plan(window)
      } yield PlannedFunction(window, frame.suiting(function), function, ordinal)
    }
    if (windows.nonEmpty && planned.forall(_.isDefined)) Some(OverPlan(planned.flatten)) else None
  }
}
