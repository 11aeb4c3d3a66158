package org.apache.spark.sql.muntin.execution.over

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.muntin.execution.frames.{
  FramePlan,
  PlannedFrame,
  PlannedFunction,
  WindowFunctions
}
import org.apache.spark.sql.catalyst.expressions._

/**
 * The plan of an operator: every window function in its output expressions, once, by frame. It is
 * created at planning, shown by EXPLAIN, and sent to the tasks.
 */
final case class OverPlan(functions: Seq[PlannedFunction]) {

  /** The frames, in the order of their first functions. */
  lazy val frames: Seq[PlannedFrame] =
    functions.map(_.frame).distinct.map(f => PlannedFrame(f, functions.filter(_.frame == f)))

  /** Returns true if every row has its results as soon as the row has arrived. */
  def isImmediate: Boolean = frames.forall(_.motion.isImmediate)

  /** Returns true if every row has its results as soon as its peers have arrived. */
  def endsWithPeers: Boolean = frames.forall(_.motion.endsWithPeers)

  /** Returns true if it is the plan of these exact expressions, not only of equal ones. */
  def isOf(outputs: Seq[Expression]): Boolean =
    OverPlan.windowsIn(outputs).corresponds(functions)(_ eq _.window)
}

object OverPlan {

  /**
   * Returns the plan for these output expressions; None if one of them contains a function that
   * Muntin does not run.
   */
  def of(outputs: Seq[Expression]): Option[OverPlan] = {
    val planned = windowsIn(outputs).zipWithIndex.map { case (window, ordinal) =>
      for {
        frame <- FramePlan.of(window)
        function <- WindowFunctions.plan(window)
      } yield PlannedFunction(window, frame.specializedFor(function), function, ordinal)
    }
    if (planned.nonEmpty && planned.forall(_.isDefined)) Some(OverPlan(planned.flatten)) else None
  }

  // Rules check an output many times. The result depends only on the output, and is dropped
  // together with it.
  private val supported =
    Collections.synchronizedMap(new WeakHashMap[Expression, java.lang.Boolean])

  /** Returns true if the output has window functions, and Muntin runs all of them. */
  def supports(output: Expression): Boolean =
    Option(supported.get(output)).fold {
      val isRun = of(Seq(output)).isDefined
      supported.put(output, isRun): Unit
      isRun
    }(_.booleanValue)

  private def windowsIn(outputs: Seq[Expression]): Seq[WindowExpression] =
    outputs.flatMap(_.collect { case w: WindowExpression => w }).distinct
}
