package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.LeapingPlan
import org.apache.spark.sql.muntin.execution.over.OverPlan
import org.apache.spark.sql.muntin.expressions.{InvalidArgument, StreamFunction}
import org.apache.spark.sql.muntin.streaming.{OverJob, StreamTimes, TimeNumber}

/**
 * When everything is resolved: a Window over a stream becomes a StreamWindows node, or an error.
 */
object PlaceStreamWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.containsPattern(WINDOW)) plan
    else
      InlinedQueries(plan).resolveOperatorsUpWithPruning(_.containsPattern(WINDOW)) {
        case w: Window if w.child.isStreaming && w.resolved =>
          PythonOver.lists(w).fold(onStream(w)) { case (lists, inPython) =>
            inPython(onStream(lists))
          }
      }

  private def onStream(window: Window): LogicalPlan = {
    val byTime = NumbersAsTimes(NamedInputs(window))
    Project(window.output, merged(byTime).getOrElse(placed(byTime)))
  }

  /**
   * Merges the window into the node of an upstream window with the same keys and order. A frame
   * that waits for rows holds back the time of all downstream windows: if other windows lie in
   * between, the window is not merged.
   */
  private def merged(window: Window): Option[LogicalPlan] =
    Descent.of(keysOf(window), window.orderSpec, window.windowExpressions)
      .to(window.child) {
        case (below: StreamWindows, here @ Descent(_, _, Some(inputs), _), isPast)
            if here.hasValues(below.orderSpec, below.child) =>
          val moved = MovedFunctions(
            window.windowExpressions,
            below.functions.flatMap(_.collectFirst { case f: StreamFunction => f.spec })
              .head.partitionSpec,
            window.orderSpec.map(_.child).zip(below.orderSpec.map(_.child)),
            inputs,
            below.child
          )
          val results = resultsOf(window)
          val both = below.copy(
            functions = below.functions ++ functionsOf(moved.functions),
            results = below.results ++ results,
            child = moved.over(below.child)
          )
          StreamWindowsCheck(both)
          if (isPast && !StreamWindowsCheck.isInTime(both)) None
          else Some(Landing(both, results ++ moved.computed.map(_.toAttribute), results))
        case _ => None
      }
      .map(landing => named(window, landing.found, landing.plan))

  private def keysOf(window: Window): Seq[Expression] = window.partitionSpec.map(StreamKeys.of)

  // New attributes, so that a join of the query with itself can rename its outputs.
  private def resultsOf(window: Window): Seq[Attribute] =
    window.windowExpressions.map(e => AttributeReference(e.name, e.dataType, e.nullable)())

  private def functionsOf(outputs: Seq[NamedExpression]): Seq[Expression] = outputs.map {
    case Alias(function, _) => StreamFunction.hidden(function)
    case other => StreamFunction.hidden(other)
  }

  /** The output of `window`, whose functions have these results in `plan`. */
  private def named(window: Window, results: Seq[Attribute], plan: LogicalPlan): LogicalPlan = {
    val outputs = window.windowExpressions.zip(results).map { case (e, r) =>
      Alias(
        r,
        e.name
      )(exprId = e.exprId, qualifier = e.qualifier, explicitMetadata = Some(e.metadata))
    }
    Project(window.child.output ++ outputs, plan)
  }

  private def placed(window: Window): LogicalPlan = {
    val keyed = WithColumns(window.child, keysOf(window).map("key" -> _))
    val results = resultsOf(window)
    val windows = StreamWindows(
      functionsOf(window.windowExpressions),
      results,
      keyed.attributes,
      window.orderSpec,
      keyed.plan
    )
    StreamWindowsCheck(windows)
    named(window, results, windows)
  }
}

/** Refuses windows over a stream that cannot run, or whose state would have no bound. */
private[plans] object StreamWindowsCheck {
  def apply(windows: StreamWindows): Unit = {
    val byArrival = MuntinConf.isByArrival(SQLConf.get)
    windows.orderSpec match {
      case SortOrder(time: Attribute, Ascending, _, _) +: _
          if TimeNumber.supports(time.dataType, byArrival) =>
        val isTold = results(windows).nonEmpty
        if (!byArrival && !isTold && !StreamTimes.hasWatermark(time, windows.child)) {
          throw invalid(
            "ORDER BY",
            MissingWatermark(time, windows.child, "rows are in order")
          )
        }
      case SortOrder(_, Descending, _, _) +: _ =>
        throw invalid(
          "ORDER BY",
          s"${windows.orderSpec.head.sql}: a stream goes forward in time; order by an ascending " +
            "timestamp"
        )
      case other =>
        throw invalid(
          "ORDER BY",
          s"${other.headOption.fold("nothing")(_.sql)}: on a stream rows go by their time; order " +
            "by a TIMESTAMP column, with a watermark: " + other.headOption.fold(
              TimeNumber.Watermark
            ) { o =>
              TimeNumber.advice(o.child.dataType, o.child.sql)
            }
        )
    }
    val job = planned(windows)
    job.plan.frames.map(_.motion).collectFirst { case leaping: LeapingPlan => leaping }.foreach {
      frame =>
        throw invalid(
          "frame",
          s"${frame.sql}: on a stream the offsets of a frame are literals, since how far back a " +
            "later row reaches is not known, and every row would have to be kept"
        )
    }
    job.neverReady.foreach { frame =>
      throw invalid(
        "frame",
        s"${frame.sql}, which waits for the last row, and a stream has none: end it, as in RANGE " +
          "BETWEEN … AND INTERVAL 1 HOUR FOLLOWING"
      )
    }
    job.unbounded.foreach { function =>
      throw invalid(
        "frame",
        s"${function.frame.sql}, of which ${unbounded(windows)} would have to keep every row " +
          "for ever: begin it, as in " +
          "RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW"
      )
    }
  }

  /** The times of windows below by whose bound the windows go; else by the watermark. */
  def results(windows: StreamWindows): Seq[ResultTime] =
    TimesBelow(windows.orderSpec.head.child, windows.partitionSpec, windows.child)(
      invalid("ORDER BY", _)
    )

  /** Whether it is known how long after their time rows come out. */
  def isInTime(windows: StreamWindows): Boolean = planned(windows).delay.isDefined

  /** Returns true if, in the order of arrival, a row has its results in its micro-batch. */
  def isImmediate(windows: StreamWindows): Boolean = planned(windows).plan.isImmediate

  /** Returns true if a window that is not placed yet waits for rows, whatever the time. */
  def waitsForRows(window: Window): Boolean = {
    val asked = NumbersAsTimes(NamedInputs(PythonOver.lists(window).fold(window)(_._1)))
    val outputs = asked.windowExpressions.map(_.transform {
      case r: RuntimeReplaceable => r.replacement
    }.asInstanceOf[NamedExpression])
    OverPlan.of(outputs, SQLConf.get.sessionLocalTimeZone)
      .exists(_.frames.exists(_.motion.readyBy.isEmpty))
  }

  /** The function whose window waits for rows. */
  def waitingForRows(windows: StreamWindows): Expression =
    windows.functions.zip(windows.results).collectFirst {
      case (f, r) if !isInTime(windows.copy(Seq(f), Seq(r))) => StreamFunction.shown(f)
    }.getOrElse(windows.functions.head)

  /** The row time of windows that have been checked. */
  def time(windows: StreamWindows): Attribute =
    windows.orderSpec.head.child.asInstanceOf[Attribute]

  private def planned(windows: StreamWindows): OverJob =
    StreamWindowsJob(windows.copy(functions = windows.functions.map(_.transform {
      case r: RuntimeReplaceable => r.replacement
    })))

  /** The function that would keep every row, as the query has it. */
  private def unbounded(windows: StreamWindows): String =
    windows.functions.zip(windows.results).collectFirst {
      case (f, r) if planned(windows.copy(Seq(f), Seq(r))).unbounded.isDefined =>
        StreamFunction.shown(f) match {
          case w: WindowExpression => w.windowFunction.sql
          case other => other.sql
        }
    }.getOrElse("it")

  private def invalid(parameter: String, value: String): AnalysisException =
    InvalidArgument("OVER", parameter, value)
}

/** The job of a StreamWindows node. */
private[plans] object StreamWindowsJob {
  def apply(windows: StreamWindows): OverJob = {
    val outputs = windows.functions.zip(windows.results).map { case (f, r) =>
      Alias(StreamFunction.shown(f), r.name)(exprId = r.exprId)
    }
    val plan = OverPlan.of(outputs, SQLConf.get.sessionLocalTimeZone).getOrElse {
      val notRun =
        outputs.find(o => OverPlan.of(Seq(o), SQLConf.get.sessionLocalTimeZone).isEmpty)
      throw InvalidArgument(
        "OVER",
        "function",
        s"${notRun.fold("")(_.child.sql)}, which Muntin does not run, and Spark runs none on a " +
          "stream"
      )
    }
    OverJob(
      outputs,
      plan,
      windows.partitionSpec,
      windows.orderSpec,
      windows.child.output,
      windows.revision
    )
  }
}
