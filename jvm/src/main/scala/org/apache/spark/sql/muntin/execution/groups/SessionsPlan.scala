package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.rows.ValueType
import io.muntin.kernel.columns.{DoubleColumn, LongColumn}
import io.muntin.kernel.fields.UnfitRow
import io.muntin.kernel.motions.{
  DoubleSessionTimes,
  GroupMotion,
  GroupSessionMotion,
  LongSessionTimes
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.expressions.Sessions
import org.apache.spark.sql.types._

/** The motion of sessions; `known` is the greatest time of all groups, where it matters. */
final case class SessionsPlan(window: Sessions, known: Option[Any]) extends GroupPlan {
  private def dataType = window.time.dataType

  override def sql: String = window.sql

  override def kinds: Seq[FrameKind] = Seq(FrameKind(evicts = false))

  override def build(frame: GroupFrame): GroupWindowing = {
    val firsts = frame.arriving(window.time)
    val lasts = frame.arriving(window.reach.getOrElse(window.time))
    (firsts, lasts) match {
      case (first: LongColumn, last: LongColumn) => new LongSessions(first, last)
      case (first: DoubleColumn, last: DoubleColumn) => new DoubleSessions(first, last)
      case (other, _) => throw new IllegalStateException(s"no times: $other")
    }
  }

  private final class LongSessions(firsts: LongColumn, lasts: LongColumn) extends GroupWindowing {
    private val gap = window.gap.units(dataType)
    private val times = new LongSessionTimes(
      firsts,
      lasts,
      gap,
      descending = false,
      known.fold(Long.MinValue)(asLong)
    )
    private val start = ValueType.longWriter(dataType, 0)
    private val end = ValueType.longWriter(dataType, 1)
    private val highest = dataType match {
      case ByteType => Byte.MaxValue.toLong
      case ShortType => Short.MaxValue.toLong
      case IntegerType | DateType => Int.MaxValue.toLong
      case d: DecimalType => BigInt(10).pow(d.precision).toLong - 1L
      case _ => Long.MaxValue
    }

    override val motion: GroupMotion =
      new GroupSessionMotion(times, firsts, window.shown, window.drains)

    override def write(target: InternalRow): Unit = {
      if (times.last > highest - gap) throw tooLate(times.last)
      start.write(times.first, target)
      end.write(times.last + gap, target)
    }
  }

  private final class DoubleSessions(firsts: DoubleColumn, lasts: DoubleColumn)
      extends GroupWindowing {
    private val gap = window.gap.length.toDouble
    private val times = new DoubleSessionTimes(
      firsts,
      lasts,
      gap,
      descending = false,
      known.fold(Double.NegativeInfinity)(_.asInstanceOf[Double])
    )

    override val motion: GroupMotion =
      new GroupSessionMotion(times, firsts, window.shown, window.drains)

    override def write(target: InternalRow): Unit = {
      target.setDouble(0, times.first)
      target.setDouble(1, times.last + gap)
    }
  }

  private def tooLate(last: Long): UnfitRow = new UnfitRow(
    "time",
    s"the session with a row at $last ends, ${window.gap.sql(dataType)} later, beyond what " +
      s"${dataType.sql} holds; cast ${window.shown} to a wider type"
  )

  private def asLong(value: Any): Long = value match {
    case d: Decimal => d.toUnscaledLong
    case n: Number => n.longValue
    case other => throw new IllegalStateException(s"no time: $other")
  }
}
