package org.apache.spark.sql.muntin.execution.split

import scala.util.Try

import io.muntin.kernel.fields.FieldUnits
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.{FieldCalendar, Schedule}
import org.apache.spark.sql.types._

/**
 * Windows that begin and end at places along `column` that do not depend on the rows. A group is
 * cut at one of these places.
 */
sealed abstract class Grid extends GroupReach {
  def column: Attribute

  /** Returns true if windows do not overlap. */
  def isApart: Boolean

  /**
   * Returns the last place before a row with this value, and how far windows reach over the place
   * from either side.
   */
  def cut(value: Long): Option[GridCut]

  /** Returns the side of the place for a row whose value equals the place. */
  def side: Cut.Side

  override def references: AttributeSet = AttributeSet(column)

  override def places(sample: SortedSample, order: CutOrder): CutPlaces =
    new GridPlaces(sample, order, this)

  override def alignsBlocks: Boolean = isApart

  override def gridAt(cut: InternalRow, input: Seq[Attribute]): Option[Long] = {
    val value = BindReferences.bindReference[Expression](column, input).eval(cut)
    Some(value.asInstanceOf[Number].longValue)
  }

  /** Returns the column's value at a place; None if the column's type has no such value. */
  def valueOf(place: Long): Option[Any] = column.dataType match {
    case ByteType => Some(place.toByte).filter(_.toLong == place)
    case ShortType => Some(place.toShort).filter(_.toLong == place)
    case IntegerType | DateType => Some(place.toInt).filter(_.toLong == place)
    case _ => Some(place)
  }
}

object Grid {

  /** Returns true for columns of integers, dates and timestamps. */
  def supports(column: Expression): Boolean = column.isInstanceOf[Attribute] &&
    (column.dataType match {
      case ByteType | ShortType | IntegerType | LongType => true
      case DateType | TimestampType | TimestampNTZType => true
      case _ => false
    })
}

/**
 * A place where groups may be cut: the chunk after it reads the rows from `from` on, the chunk
 * before it the rows until `until`.
 */
final case class GridCut(at: Long, from: Long, until: Long)

/**
 * The windows of field_window, tumble and hop: `size` wide, at `shift` and each multiple of
 * `advance` from there, in values of the column or in units of `calendar`.
 *
 *     size 10, advance 5, shift 0, a row at 23
 *     cut      at 20: the windows [20, 30), [25, 35) … are the next chunk's
 *     until    25: the last window of the chunk before it is [15, 25)
 *     from     10: rows of the last 10 before the cut show whether there is a gap
 */
final case class FieldGrid(
    column: Attribute,
    size: Long,
    advance: Long,
    shift: Long,
    calendar: Option[FieldCalendar]
) extends Grid {
  @transient private lazy val units =
    calendar.fold[FieldUnits](FieldUnits.Single)(_.units())

  override def isApart: Boolean = size == advance

  override def side: Cut.Side = Cut.BeforePeers

  // A window opens at a row only after a gap of `size`: so the rows of one `size` before the cut
  // determine which window is the first.
  override def cut(value: Long): Option[GridCut] = Try {
    val steps = Math.floorDiv(Math.subtractExact(units.of(value), shift), advance)
    val at = Math.addExact(shift, Math.multiplyExact(steps, advance))
    GridCut(
      units.start(at),
      units.start(if (isApart) at else Math.subtractExact(at, size)),
      units.start(Math.addExact(at, size - advance))
    )
  }.toOption
}

/**
 * The windows of ticks. The window of a tick contains the rows after the `span`-th tick before it,
 * until the tick.
 *
 *     span 2, a tick each hour, a row at 10:30
 *     cut      after 10:00: the windows that end at 11:00, 12:00 … are the next chunk's
 *     until    10:00: the last window of the chunk before it ends there
 *     from     9:00: the window that ends at 11:00 begins there
 */
final case class TickGrid(column: Attribute, schedule: Schedule, span: Int) extends Grid {
  @transient private lazy val ticks = schedule.ticks()

  override def isApart: Boolean = span == 1

  override def side: Cut.Side = Cut.AfterPeers

  // Some schedules have a first tick.
  override def cut(value: Long): Option[GridCut] = Try {
    val at = ticks.before(value)
    val from = (1 until span).foldLeft(at)((tick, _) => ticks.before(tick))
    GridCut(at, from, at)
  }.toOption
}
