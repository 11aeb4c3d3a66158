package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.groups.GroupWindowSpec
import org.apache.spark.sql.muntin.expressions.{
  GroupAggregate,
  GroupWindow,
  InvalidArgument,
  TickTime,
  Unqualified
}
import org.apache.spark.sql.muntin.spark.CastTo
import org.apache.spark.sql.muntin.streaming.{GroupJob, StreamTimes, TimeNumber}
import org.apache.spark.sql.types.{Decimal, DecimalType, Metadata, MetadataBuilder, TimestampType}

/** Refuses windows of groups over a stream that cannot run, or whose state would have no bound. */
private[plans] object GroupStreamCheck {
  def apply(windows: GroupWindows): Unit = {
    val window = windows.window
    val onStream = windows.spec.onStream
    onStream.plan(windows.keys.nonEmpty): Unit
    val byArrival = MuntinConf.isByArrival(SQLConf.get)
    onStream.check(windows.keys, byArrival)
    val asked = window.order.head.child
    GroupStreamTime.of(window) match {
      case Some(time) if TimeNumber.supports(time.dataType, byArrival) =>
        if (!byArrival && !StreamTimes.isMarked(time)) {
          throw invalid(
            window,
            s"${time.sql}, a column of a stream without a watermark: nobody could tell when a " +
              s"window is complete. Write df.withWatermark(\"${time.name}\", \"10 minutes\"), or " +
              "set spark.muntin.stream.order=arrival"
          )
        }
      case _ if asked.dataType == TimestampType =>
        throw invalid(
          window,
          s"${asked.sql}, which is computed; on a stream the time is a column with a watermark: " +
            "df.withColumn(\"t\", …).withWatermark(\"t\", \"10 minutes\")"
        )
      case _ =>
        throw invalid(
          window,
          s"${asked.sql} of type ${asked.dataType.sql}; Spark has watermarks for TIMESTAMP " +
            "columns alone, and without one nobody could tell when a window of a stream is " +
            "complete. Group by windows of a TIMESTAMP: " +
            TimeNumber.advice(asked.dataType, asked.sql)
        )
    }
    StreamKeys.check(window.prettyName, windows.keys)
    val replaced = windows.copy(functions = windows.functions.map { f =>
      f.transform { case r: RuntimeReplaceable => r.replacement }.asInstanceOf[GroupAggregate]
    })
    replaced.functions.zip(windows.functions).find { case (f, _) =>
      GroupStreamJob(replaced.copy(functions = Seq(f), results = Seq(f.result))).isUnbounded
    }.foreach { case (_, function) =>
      throw invalid(
        window,
        s"${window.sql}, whose windows only grow, with ${function.sql}, of which every row would " +
          "have to be kept for ever: give the windows an end, a size or a span"
      )
    }
  }

  private def invalid(window: GroupWindow, value: String): AnalysisException =
    InvalidArgument(window.prettyName, "GROUP BY", value)
}

/** The row time of the windows of groups. */
private[plans] object GroupStreamTime {

  /** The column of the row time, if it is a column. */
  def of(window: GroupWindow): Option[Attribute] = window.order.head.child match {
    case a: Attribute => Some(a)
    case TickTime(a: Attribute, _) => Some(a)
    // A field with more digits before the point, for the ends of its windows.
    case wide @ CastTo(a: Attribute, _) if scale(wide).isDefined && scale(wide) == scale(a) =>
      Some(a)
    case _ => None
  }

  private def scale(field: Expression): Option[Int] = field.dataType match {
    case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => Some(d.scale)
    case _ => None
  }

  /**
   * The watermark of the window's column in the result, as with Spark's own window. For the
   * operators above no window is late: it comes out in the first micro-batch whose watermark has
   * passed its end.
   */
  def mark(window: GroupWindow): Metadata = {
    val key = EventTimeWatermark.delayKey
    val hasEnds = GroupWindowSpec.of(window).hasEnds
    of(window).filter(t => hasEnds && t.metadata.contains(key)).fold(Metadata.empty) { time =>
      new MetadataBuilder().putLong(key, time.metadata.getLong(key)).build()
    }
  }
}

/** The job of a GroupWindows node over a stream. */
private[plans] object GroupStreamJob {
  def apply(windows: GroupWindows): GroupJob =
    job(windows, windows, GroupStreamTime.of(windows.window).get, isPaned = false)

  /** The job, and its input: the rows of the node's child, or partials of panes of these rows. */
  def planned(windows: GroupWindows): (GroupJob, LogicalPlan) = {
    val conf = SQLConf.get
    val byArrival = MuntinConf.isByArrival(conf)
    val isClosedByClock = conf.getConf(MuntinConf.StreamCloseAfter).isDefined &&
      windows.spec.onStream.hasClosing
    // By arrival, rows of one pane may be in several windows. By the clock, rows are late one by
    // one.
    val isPaned = conf.getConf(MuntinConf.PanesEnabled) && !byArrival && !isClosedByClock
    val endsByNewest = windows.spec.onStream.endsByNewest
    val paned = if (isPaned) StreamPanes.of(windows, isExchanged = endsByNewest) else None
    paned.fold {
      val unpaned = apply(windows)
      val isExchanged = unpaned.isMarked || byArrival || endsByNewest
      (unpaned, LateRows(unpaned.name, unpaned.time, windows.child, isExchanged): LogicalPlan)
    } { case (overPanes, released) =>
      (job(overPanes, windows, released, isPaned = true), overPanes.child)
    }
  }

  private def job(
      windows: GroupWindows,
      asked: GroupWindows,
      time: Attribute,
      isPaned: Boolean
  ): GroupJob = {
    val window = windows.window
    val functions = WindowFunctions.planAll(window.prettyName, windows.functions)
    val read = AttributeSet(window +: windows.functions) -- windows.keys
    GroupJob(
      asked.window,
      windows.spec.onStream.plan(windows.keys.nonEmpty),
      windows.windowAttribute,
      functions,
      asked.functions.map(Unqualified.sql(_)),
      windows.results,
      windows.keys,
      SortOrder(time, Ascending) +: (if (isPaned) window.order else window.order.tail),
      windows.child.output.filter(read.contains),
      windows.child.output,
      isPaned,
      windows.marks
    )
  }
}
