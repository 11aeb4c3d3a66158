package org.apache.spark.sql.muntin.plans.anchored

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.errors.ErrorConditions
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.streams.{ResultTime, UpstreamTimes}
import org.apache.spark.sql.muntin.spark.TimestampPlus
import org.apache.spark.sql.muntin.streaming.StreamTimes
import org.apache.spark.sql.types.{
  DataType,
  DayTimeIntervalType,
  IntegralType,
  LongType,
  TimestampType
}
import org.slf4j.LoggerFactory

/**
 * Determines when anchors of window_by over a stream are due. An anchor of a stream arrives by its
 * watermarked column, `marked`, and waits for the end of its window. It is due at the later of the
 * two. An anchor of a table is due at the end of its window, because all anchors are known.
 *
 * `delay` is the maximum time from `marked` until an anchor is due, in microseconds; None if it is
 * unknown.
 */
private[plans] final class AnchoredStreamTimes(marked: Option[Attribute], val delay: Option[Long]) {
  def due(unpacked: Unpacked, end: Expression): Expression =
    (marked.map(unpacked.inChild), end) match {
      case (Some(mark), a: Attribute) if a.exprId == mark.exprId => a
      case (Some(mark), _) => Greatest(Seq(mark, end))
      case (None, _) => end
    }

  /**
   * Returns the time at which an anchor of a stream is announced, with its `obsolete`: its time in
   * the anchors' stream.
   */
  def promised(unpacked: Unpacked): Option[Attribute] = marked.map(unpacked.inChild)
}

/** Rejects calls of window_by that cannot run on a stream. */
private[plans] object AnchoredStreamTimes {
  private val log = LoggerFactory.getLogger(classOf[WindowBy])

  def apply(
      by: WindowBy,
      anchors: LogicalPlan,
      source: LogicalPlan,
      common: DataType
  ): AnchoredStreamTimes = {
    if (MuntinConf.isByNewest(SQLConf.get)) {
      throw error(
        "MUNTIN_WINDOW_BY_IN_ORDER_OF_ARRIVAL",
        "order" -> SQLConf.get.getConf(MuntinConf.StreamOrder)
      )
    }
    if (common != TimestampType) {
      throw invalidTime(by, common, "a TIMESTAMP with a watermark")
    }
    checkTime(by.time, source)
    results(by.time, source): Unit
    if (by.obsolete.isEmpty) checkBounded()
    if (anchors.isStreaming) times(by.end, anchors)
    else {
      // With this setting off, a micro-batch does not have the watermark of the previous
      // micro-batch.
      val setting = SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE
      if (!SQLConf.get.getConf(setting)) {
        throw error("MUNTIN_STATIC_ANCHORS_REQUIRE_SETTING", "setting" -> setting.key)
      }
      new AnchoredStreamTimes(None, None)
    }
  }

  /** Returns the type of the times in the order `group`, in which whole numbers are times, too. */
  def ofGroup(by: WindowBy, common: DataType): DataType = common match {
    case TimestampType => TimestampType
    case _: IntegralType => LongType
    case _ => throw invalidTime(by, common, "a TIMESTAMP or a whole number")
  }

  private def invalidTime(by: WindowBy, common: DataType, expected: String): AnalysisException =
    error(
      "MUNTIN_INVALID_ARGUMENT_TYPE",
      "parameter" -> "time",
      "argument" -> toPrettySQL(by.time),
      "type" -> common.sql,
      "expected" -> expected
    )

  /**
   * Checks a call over a static source, which emits each anchor's result when the anchor arrives.
   */
  def checkOverTable(by: WindowBy): Unit = by.obsolete.foreach { _ =>
    throw error("MUNTIN_OBSOLETE_OVER_TABLE")
  }

  /** Returns the upstream windows' times whose bound a side uses; empty for the watermark. */
  def results(time: Expression, side: LogicalPlan): Seq[ResultTime] =
    UpstreamTimes.heldBack(WindowBy.name, time, side)

  /** Rejects `order`: over streams anchors already have an order. */
  def checkOrder(by: WindowBy, anchors: LogicalPlan): Unit = by.order.foreach { _ =>
    val stream = if (anchors.isStreaming) "anchors" else "source"
    throw error("MUNTIN_ORDER_ON_STREAM", "stream" -> stream)
  }

  private def checkTime(time: Expression, source: LogicalPlan): Unit = time match {
    case a: Attribute if source.output.exists(o => o.exprId == a.exprId && isMarked(o)) =>
    case a: Attribute =>
      throw error("MUNTIN_TABLE_WITHOUT_WATERMARK", "table" -> "source", "column" -> a.name)
    case other =>
      throw error("MUNTIN_COMPUTED_TIME_ON_STREAM", "time" -> toPrettySQL(other))
  }

  /** Warns, or fails, because a call without `obsolete` keeps all rows. */
  def checkBounded(): Unit = {
    if (SQLConf.get.getConf(MuntinConf.StreamUnbounded) == "error") {
      throw error("MUNTIN_MISSING_OBSOLETE")
    }
    val warning = ErrorConditions("MUNTIN_UNBOUNDED_WINDOW_BY")
    log.warn(warning.message(Map("function" -> WindowBy.name)))
  }

  private def times(end: Expression, anchors: LogicalPlan): AnchoredStreamTimes = {
    val (columns, computed) = anchors match {
      case Project(list, child) =>
        val own = list.collectFirst { case Alias(e, _) if isOf(list, e, end) => e }
        (child.output, own.getOrElse(end))
      case other => (other.output, end)
    }
    val marked = columns.filter(isMarked)
    // If the end has a watermark itself, no other column is needed.
    marked.find(m => offset(computed, m).contains(0L)).orElse(marked.headOption) match {
      case Some(mark) =>
        results(mark, anchors): Unit
        new AnchoredStreamTimes(Some(mark), offset(computed, mark).map(atMost))
      case None =>
        val name = computed match {
          case a: Attribute => a.name
          case other => other.references.headOption.fold("at")(_.name)
        }
        throw error("MUNTIN_TABLE_WITHOUT_WATERMARK", "table" -> "anchors", "column" -> name)
    }
  }

  private def isOf(list: Seq[NamedExpression], child: Expression, end: Expression): Boolean =
    end match {
      case a: Attribute => list.exists(n => n.exprId == a.exprId && n.children.contains(child))
      case _ => false
    }

  private def isMarked(column: Attribute): Boolean =
    column.dataType == TimestampType && StreamTimes.isMarked(column)

  /**
   * Returns the constant offset of the expression from the time, in microseconds, if it has one.
   */
  def offset(expression: Expression, time: Expression): Option[Long] = expression match {
    case same if same.semanticEquals(time) => Some(0L)
    case TimestampPlus(from, interval)
        if interval.foldable && interval.dataType.isInstanceOf[DayTimeIntervalType] =>
      for (before <- offset(from, time); more <- Option(interval.eval()))
        yield before + more.asInstanceOf[Long]
    case c: Cast if c.child.dataType == c.dataType => offset(c.child, time)
    case r: RuntimeReplaceable => offset(r.replacement, time)
    case _ => None
  }

  // A day may have more than 24 hours.
  private def atMost(offset: Long): Long =
    if (offset >= MICROS_PER_DAY) offset + MICROS_PER_DAY else math.max(0L, offset)

  private def error(condition: String, parameters: (String, String)*): AnalysisException =
    new Arguments(WindowBy.name).error(condition, parameters: _*)
}
