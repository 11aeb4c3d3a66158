package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.groups.GroupWindowPlan
import org.apache.spark.sql.muntin.expressions.{FieldWindow, TickTime}
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, GroupWindow, Unqualified}
import org.apache.spark.sql.muntin.plans.logical.{
  GroupWindowColumn,
  GroupWindows,
  LateRows,
  StreamKeys,
  WithColumns
}
import org.apache.spark.sql.muntin.spark.{CastTo, MuntinAnalysisException}
import org.apache.spark.sql.muntin.streaming.{GroupJob, StreamClock, StreamTimes, TimeNumber}
import org.apache.spark.sql.types.{
  DateType,
  Decimal,
  DecimalType,
  DoubleType,
  FloatType,
  Metadata,
  MetadataBuilder,
  StructType
}

/** Rejects windows of groups over a stream that cannot run, or whose state would be unbounded. */
private[plans] object GroupStreamCheck {
  def apply(windows: GroupWindows): Unit = {
    val window = windows.window
    val byArrival = MuntinConf.isByArrival(SQLConf.get)
    windows.plan.checkOnStream(windows.keys, byArrival)
    val timeExpression = window.order.head.child match {
      case TickTime(CastTo(date, _), _) if date.dataType == DateType => date
      case TickTime(time, _) => time
      case time => time
    }
    GroupStreamTime.of(window) match {
      case Some(time) if isTime(window, time, byArrival) =>
        val usesUpstream = GroupStreamTime.results(windows).nonEmpty
        if (!byArrival && !usesUpstream && !StreamTimes.hasWatermark(time, windows.child)) {
          throw MissingWatermark(window.prettyName, time, windows.child)
        }
      case _ => throw UnsupportedStreamTime(window.prettyName, timeExpression, isField(window))
    }
    StreamKeys.check(window.prettyName, windows.keys)
    val job = GroupStreamJob(windows.copy(functions = windows.functions.map { f =>
      f.transform { case r: RuntimeReplaceable => r.replacement }.asInstanceOf[GroupAggregate]
    }))
    job.functions.zip(windows.functions).find { case (planned, _) =>
      job.plan.isUnbounded(Seq(planned))
    }.foreach { case (_, function) =>
      throw new MuntinAnalysisException(
        "MUNTIN_UNBOUNDED_WINDOWS_ON_STREAM",
        "window" -> window.sql,
        "aggregate" -> toPrettySQL(function)
      )
    }
  }

  private def isField(window: GroupWindow): Boolean = window.isInstanceOf[FieldWindow]

  private def isTime(window: GroupWindow, time: Attribute, byArrival: Boolean): Boolean =
    if (isField(window)) TimeNumber.supportsField(time.dataType, byArrival)
    else TimeNumber.supports(time.dataType, byArrival)
}

/** Finds the row time of the windows of groups. */
private[plans] object GroupStreamTime {

  /** Returns the column of the row time, if it is a column. */
  def of(window: GroupWindow): Option[Attribute] = window.order.head.child match {
    case a: Attribute => Some(a)
    case TickTime(a: Attribute, _) => Some(a)
    // A field with more digits before the point, for the ends of its windows.
    case wide @ CastTo(a: Attribute, _) if scale(wide).isDefined && scale(wide) == scale(a) =>
      Some(a)
    case CastTo(a: Attribute, DoubleType) if a.dataType == FloatType => Some(a)
    case _ => None
  }

  private def scale(field: Expression): Option[Int] = field.dataType match {
    case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => Some(d.scale)
    case _ => None
  }

  /**
   * Returns the plan with the times of upstream windows, such as `w.end` in `ticks(w.end,
   * 'daily')`, as columns.
   */
  def named(plan: GroupWindowPlan, rows: LogicalPlan): (GroupWindowPlan, LogicalPlan) = {
    val times =
      if (!rows.isStreaming) Nil
      else
        plan.collect {
          case f: GetStructField
              if isByArrival || isMarked(f) || UpstreamTimes.usesUpstreamBound(f, rows) => f
        }.distinct
    val columns = WithColumns(rows, times.map(t => t.sql -> t))
    val attributes = times.zip(columns.attributes)
    val named = plan.transformDown {
      case f: GetStructField =>
        attributes.collectFirst { case (time, a) if time.semanticEquals(f) => a }.getOrElse(f)
    }
    (named.asInstanceOf[GroupWindowPlan], columns.plan)
  }

  /**
   * Returns the times of upstream windows whose bound these windows of a stream use; empty for the
   * watermark.
   */
  def results(windows: GroupWindows): Seq[ResultTime] =
    UpstreamTimes(
      windows.window.prettyName,
      ordered(windows.window),
      windows.keys,
      windows.child
    )

  /**
   * Returns the expression that orders the windows: the column of the row time, or its replacement.
   */
  def ordered(window: GroupWindow): Expression = of(window).getOrElse(window.order.head.child)

  // In the order of arrival any column may be a time.
  private def isByArrival: Boolean = MuntinConf.isByArrival(SQLConf.get)

  private def isMarked(field: GetStructField): Boolean =
    field.metadata.contains(EventTimeWatermark.delayKey)

  /**
   * Returns the column of the windows in the result. On a stream the window's times propagate the
   * watermark, as with Spark's own window. For downstream operators no window is late, because it
   * is emitted in the first micro-batch whose watermark has passed its times.
   */
  def column(name: String, plan: GroupWindowPlan): AttributeReference = {
    val window = plan.window
    val key = EventTimeWatermark.delayKey
    def marked(before: Metadata, delay: Long) =
      new MetadataBuilder().withMetadata(before).putLong(key, delay).build()
    val delay = window.order.head.child match {
      case TickTime(f: GetStructField, _) if isMarked(f) => Some(f.metadata.getLong(key))
      case f: GetStructField if isMarked(f) => Some(f.metadata.getLong(key))
      case _ => of(window).filter(StreamTimes.isMarked).map(_.metadata.getLong(key))
    }
    val asWindow = GroupWindowColumn.metadata(window)
    delay.fold(AttributeReference(name, window.dataType, window.nullable, asWindow)()) { delay =>
      val fields = window.dataType.fields.zipWithIndex.map { case (f, i) =>
        if (plan.times.contains(i)) f.copy(metadata = marked(f.metadata, delay)) else f
      }
      // Spark takes the second field of a struct with a watermark.
      val metadata = if (plan.times.contains(1)) marked(asWindow, delay) else asWindow
      AttributeReference(name, StructType(fields), window.nullable, metadata)()
    }
  }
}

/** Plans the job of a GroupWindows node over a stream. */
private[plans] object GroupStreamJob {
  def apply(windows: GroupWindows): GroupJob =
    job(windows, windows, GroupStreamTime.of(windows.window).get, isPaned = false)

  /**
   * Returns the job, its input (the rows of the node's child, or partials of panes of these rows),
   * and its clock.
   */
  def planned(windows: GroupWindows): (GroupJob, LogicalPlan, StreamClock) = {
    val conf = SQLConf.get
    val byArrival = MuntinConf.isByArrival(conf)
    val isClosedByClock = conf.getConf(MuntinConf.StreamCloseAfter).isDefined &&
      windows.plan.hasClosing
    // In the order of arrival, rows of one pane may be in several windows. If windows close by the
    // wall clock, rows are late one by one.
    val results = GroupStreamTime.results(windows)
    val (usesUpstream, clock) = (results.nonEmpty, new StreamClock(usesUpstream = results.nonEmpty))
    val isPaned =
      conf.getConf(MuntinConf.PanesEnabled) && !byArrival && !isClosedByClock && !usesUpstream
    val isExchanged = windows.marks.isDefined || MuntinConf.isByNewest(conf) ||
      windows.plan.endsByNewest || usesUpstream
    val paned = if (isPaned) StreamPanes.of(windows, clock, isExchanged) else None
    paned.fold {
      val unpaned = apply(windows)
      val reporting = ReportedTimes.of(results, clock)(windows.child)
      val rows = LateRows(unpaned.name, unpaned.time, clock, reporting, isExchanged)
      (unpaned, rows: LogicalPlan, clock)
    } { case (overPanes, released) =>
      (job(overPanes, windows, released, isPaned = true), overPanes.child, clock)
    }
  }

  private def job(
      windows: GroupWindows,
      requested: GroupWindows,
      time: Attribute,
      isPaned: Boolean
  ): GroupJob = {
    val sorted = windows.window.order
    val read = AttributeSet(windows.plan +: windows.functions) -- windows.keys
    GroupJob(
      windows.plan,
      requested.window,
      windows.functions,
      WindowFunctions.planAll(windows.plan.prettyName, windows.functions),
      windows.keys,
      windows.windowAttribute,
      windows.results,
      requested.revision,
      input = windows.child.output,
      order = SortOrder(time, Ascending) +: (if (isPaned) sorted else sorted.tail),
      retainedColumns = windows.child.output.filter(read.contains),
      fingerprint = fingerprintOf(requested, isPaned)
    )
  }

  private def fingerprintOf(requested: GroupWindows, isPaned: Boolean): Seq[(String, String)] = {
    val functions = requested.functions.zipWithIndex.map { case (f, i) =>
      s"function ${i + 1}" -> Unqualified.sql(f)
    }
    Seq(
      "group by" -> Unqualified.sql(requested.window),
      MuntinConf.PanesEnabled.key -> isPaned.toString
    ) ++ functions
  }
}
