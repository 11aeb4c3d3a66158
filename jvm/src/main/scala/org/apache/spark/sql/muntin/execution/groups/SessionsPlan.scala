package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.columns.{DoubleColumn, LongColumn}
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.motions.{
  DoubleSessionTimes,
  GroupMotion,
  GroupSessionMotion,
  LongSessionTimes
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.rows.ValueType
import org.apache.spark.sql.muntin.expressions.Sessions
import org.apache.spark.sql.muntin.expressions.internal.SessionPane
import org.apache.spark.sql.types._

/** Plans sessions: a window for each run of rows without a gap. */
final case class SessionsPlan(window: Sessions, override val panes: Option[PaneBounds] = None)
    extends GroupWindowPlan {
  import window.{gap, time}

  private def timeType = time.dataType

  /** Returns the greatest time of a pane, or of a row. */
  private def last: Expression = panes.fold(time)(_.last)

  private def shown: String = panes.fold(window.shown)(_.shown)

  override def kinds: Seq[FrameKind] = Seq(FrameKind(evicts = false))

  override protected def isAccumulated: Boolean = true

  override def build(frame: GroupFrame, track: Int): GroupWindowing =
    (frame.arriving(time), frame.arriving(last)) match {
      case (firsts: LongColumn, lasts: LongColumn) =>
        new LongSessions(firsts, lasts, frame.allGroups)
      case (firsts: DoubleColumn, lasts: DoubleColumn) =>
        new DoubleSessions(firsts, lasts, frame.allGroups)
      case (other, _) => throw new IllegalStateException(s"no times: $other")
    }

  private final class LongSessions(firsts: LongColumn, lasts: LongColumn, all: AllGroups)
      extends GroupWindowing {
    private val length = gap.units(timeType)
    private val times = new LongSessionTimes(
      firsts,
      lasts,
      length,
      descending = false,
      all.globalValue.fold(Long.MinValue)(asLong)
    )
    private val start = ValueType.longWriter(timeType, 0)
    private val end = ValueType.longWriter(timeType, 1)
    private val highest = timeType match {
      case ByteType => Byte.MaxValue.toLong
      case ShortType => Short.MaxValue.toLong
      case IntegerType | DateType => Int.MaxValue.toLong
      case d: DecimalType => BigInt(10).pow(d.precision).toLong - 1L
      case _ => Long.MaxValue
    }

    override val motion: GroupMotion =
      new GroupSessionMotion(times, firsts, shown, window.drains && !all.isStream)

    override def write(target: InternalRow): Unit = {
      if (times.last > highest - length) throw tooLate(times.last)
      start.write(times.first, target)
      end.write(times.last + length, target)
    }
  }

  private final class DoubleSessions(firsts: DoubleColumn, lasts: DoubleColumn, all: AllGroups)
      extends GroupWindowing {
    private val length = gap.length.toDouble
    private val times = new DoubleSessionTimes(
      firsts,
      lasts,
      length,
      descending = false,
      all.globalValue.fold(Double.NegativeInfinity)(_.asInstanceOf[Double])
    )

    override val motion: GroupMotion =
      new GroupSessionMotion(times, firsts, shown, window.drains && !all.isStream)

    override def write(target: InternalRow): Unit = {
      target.setDouble(0, times.first)
      target.setDouble(1, times.last + length)
    }
  }

  private def tooLate(last: Long): InvalidWindowRowException = new InvalidWindowRowException(
    "MUNTIN_SESSION_OUT_OF_RANGE",
    Map(
      "time" -> shown,
      "last" -> last.toString,
      "gap" -> gap.sql(timeType),
      "type" -> timeType.sql
    )
  )

  private def asLong(value: Any): Long = value match {
    case d: Decimal => d.toUnscaledLong
    case n: Number => n.longValue
    case other => throw new IllegalStateException(s"no time: $other")
  }

  /** The newest row, which determines which sessions are closed. */
  override def ofAllGroups: Option[AggregateFunction] = Option.when(!window.drains)(Max(last))

  override def ascending: Seq[Int] = Seq(0, 1)

  // Sessions end within panes: on a stream each row counts separately.
  override def pane: Option[Expression] =
    Option.when(timeType != DoubleType)(SessionPane(time, shown, gap.units(timeType)))

  override def overPanes(first: Attribute, last: Attribute): GroupWindowPlan =
    SessionsPlan(window.copy(time = first), Some(PaneBounds(last, shown)))

  // A later row extends its session.
  override def withdraws: Boolean = true

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): SessionsPlan =
    copy(newChildren.head.asInstanceOf[Sessions], panes.map(_.copy(last = newChildren(1))))
}
