package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.{NonMonotonicPlan, PlannedFunction}
import org.apache.spark.sql.muntin.execution.over.OverPlan
import org.apache.spark.sql.muntin.expressions.common.StreamFunction
import org.apache.spark.sql.muntin.plans.logical.{
  InlinedCtes,
  MovedFunctions,
  PythonOver,
  StreamKeys,
  StreamWindows,
  WithColumns
}
import org.apache.spark.sql.muntin.plans.over.{
  NamedInputs,
  NumbersAsTimes,
  PushdownResult,
  WindowPushdown
}
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.muntin.streaming.{GroupTtl, StreamTimes, TimeNumber}

/**
 * When the query is resolved, replaces a Window over a stream by a StreamWindows node, or rejects
 * it.
 */
object PlaceStreamWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.containsPattern(WINDOW)) plan
    else
      InlinedCtes(plan).resolveOperatorsUpWithPruning(_.containsPattern(WINDOW)) {
        case w: Window if w.child.isStreaming && w.resolved =>
          StreamTtl.withoutNumbers(w) match {
            case window: Window => placed(window)
            case Project(list, window: Window) => Project(list, placed(window))
            case constants => constants
          }
      }

  private def placed(window: Window): LogicalPlan =
    PythonOver.lists(window).fold(onStream(window)) { case (lists, inPython) =>
      inPython(onStream(lists))
    }

  private def onStream(window: Window): LogicalPlan = {
    val (ttl, bare) = StreamTtl.of(window)
    val byTime = NumbersAsTimes(NamedInputs(bare))
    Project(window.output, merged(byTime, ttl).getOrElse(inNode(byTime, ttl)))
  }

  /**
   * Merges the window into the node of an upstream window with the same keys and order. A frame
   * that waits for rows holds back the time of all downstream windows: if other windows lie in
   * between, the window is not merged.
   */
  private def merged(window: Window, ttl: Option[GroupTtl]): Option[LogicalPlan] =
    WindowPushdown.of(keysOf(window), window.orderSpec, window.windowExpressions)
      .into(window.child) {
        case (target: StreamWindows, pushed @ WindowPushdown(_, _, Some(inputs), _), isPast)
            if target.ttl == ttl && pushed.hasValues(target.orderSpec, target.child) =>
          val moved = MovedFunctions(
            window.windowExpressions,
            target.functions.flatMap(_.collectFirst { case f: StreamFunction => f.spec })
              .head.partitionSpec,
            window.orderSpec.map(_.child).zip(target.orderSpec.map(_.child)),
            inputs,
            target.child
          )
          val results = resultsOf(window)
          val both = target.copy(
            functions = target.functions ++ functionsOf(moved.functions),
            results = target.results ++ results,
            child = moved.projectInputs(target.child)
          )
          StreamWindowsCheck(both)
          if (isPast && both.job.delay.isEmpty) None
          else Some(PushdownResult(both, results ++ moved.computed.map(_.toAttribute), results))
        case _ => None
      }
      .map(result => named(window, result.outcome, result.plan))

  private def keysOf(window: Window): Seq[Expression] = window.partitionSpec.map(StreamKeys.of)

  // New attributes, so that a join of the query with itself can rename its outputs.
  private def resultsOf(window: Window): Seq[Attribute] =
    window.windowExpressions.map(e => AttributeReference(e.name, e.dataType, e.nullable)())

  private def functionsOf(outputs: Seq[NamedExpression]): Seq[Expression] = outputs.map {
    case Alias(function, _) => StreamFunction.hidden(function)
    case other => StreamFunction.hidden(other)
  }

  /** Returns the output of `window`, whose functions have these results in `plan`. */
  private def named(window: Window, results: Seq[Attribute], plan: LogicalPlan): LogicalPlan = {
    val outputs = window.windowExpressions.zip(results).map { case (e, r) =>
      Alias(
        r,
        e.name
      )(exprId = e.exprId, qualifier = e.qualifier, explicitMetadata = Some(e.metadata))
    }
    Project(window.child.output ++ outputs, plan)
  }

  private def inNode(window: Window, ttl: Option[GroupTtl]): LogicalPlan = {
    val keyed = WithColumns(window.child, keysOf(window).map("key" -> _))
    val results = resultsOf(window)
    val windows = StreamWindows(
      functionsOf(window.windowExpressions),
      results,
      keyed.attributes,
      window.orderSpec,
      keyed.plan,
      ttl = ttl
    )
    StreamWindowsCheck(windows)
    named(window, results, windows)
  }
}

/** Rejects windows over a stream that cannot run, or whose state would be unbounded. */
private[plans] object StreamWindowsCheck {
  private val Over = "OVER"

  def apply(windows: StreamWindows): Unit = {
    val byArrival = MuntinConf.isByArrival(SQLConf.get)
    windows.orderSpec match {
      case SortOrder(time: Attribute, Ascending, _, _) +: _
          if TimeNumber.supports(time.dataType, byArrival) =>
        val usesUpstream = results(windows).nonEmpty
        if (!byArrival && !usesUpstream && !StreamTimes.hasWatermark(time, windows.child)) {
          throw MissingWatermark(Over, time, windows.child)
        }
      case SortOrder(_, Descending, _, _) +: _ =>
        throw new MuntinAnalysisException(
          "MUNTIN_DESCENDING_TIME_ON_STREAM",
          "order" -> windows.orderSpec.head.sql
        )
      case SortOrder(other, _, _, _) +: _ => throw UnsupportedStreamTime(Over, other)
      case _ => throw new MuntinAnalysisException("MUNTIN_MISSING_ORDER_BY_ON_STREAM")
    }
    val functions = windows.job.plan.functions
    functions.map(_.frame).collectFirst { case leaping: NonMonotonicPlan => leaping }.foreach {
      frame =>
        throw new MuntinAnalysisException("MUNTIN_COMPUTED_FRAME_ON_STREAM", "frame" -> frame.sql)
    }
    functions.map(_.frame).find(_.isNeverReady).foreach { frame =>
      throw new MuntinAnalysisException("MUNTIN_UNBOUNDED_FRAME_ON_STREAM", "frame" -> frame.sql)
    }
    functions.find(_.isUnbounded).foreach { function =>
      val named = requested(windows, function) match {
        case w: WindowExpression => w.windowFunction.sql
        case other => other.sql
      }
      throw new MuntinAnalysisException(
        "MUNTIN_UNBOUNDED_STATE_ON_STREAM",
        "frame" -> function.frame.sql,
        "call" -> named
      )
    }
  }

  /** Returns the times of upstream windows whose bound the windows use; empty for the watermark. */
  def results(windows: StreamWindows): Seq[ResultTime] =
    UpstreamTimes(Over, windows.orderSpec.head.child, windows.partitionSpec, windows.child)

  /** Returns true if a window that is not placed yet waits for rows, independent of time. */
  def waitsForRows(window: Window): Boolean = {
    val requested = NumbersAsTimes(NamedInputs(PythonOver.lists(window).fold(window)(_._1)))
    val outputs =
      requested.windowExpressions.map(_.transform { case r: RuntimeReplaceable => r.replacement })
    OverPlan.of(outputs).exists(_.functions.exists(_.frame.readyBy.isEmpty))
  }

  /** Returns the first function whose window waits for rows, if there is one. */
  def waitingForRows(windows: StreamWindows): Option[Expression] =
    windows.job.plan.functions.find(_.frame.readyBy.isEmpty).map(requested(windows, _))

  /** Returns the first function whose rows may have to wait for later rows of their group. */
  def lookingAhead(windows: StreamWindows): Option[Expression] =
    windows.job.waitingFunction.map(requested(windows, _))

  /** Returns the output that contains the planned function, as the query writes it. */
  private def requested(windows: StreamWindows, planned: PlannedFunction): Expression =
    windows.job.outputs.zip(windows.functions).collectFirst {
      case (output, function) if output.exists(_ == planned.window) =>
        StreamFunction.shown(function)
    }.getOrElse(planned.window)
}
