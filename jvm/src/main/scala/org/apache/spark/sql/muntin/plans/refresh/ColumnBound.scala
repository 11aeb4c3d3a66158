package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * A condition that the values of a column are at least `least` and at most `greatest`, as integers
 * in the unit of its type: microseconds of timestamps, days of dates.
 */
private[refresh] final case class ColumnBound(
    column: String,
    dataType: DataType,
    least: Long,
    greatest: Long
)

private[refresh] object ColumnBound {

  /** Returns the bound that a filter is; None if it is another condition. */
  def of(filter: Expression): Option[ColumnBound] = filter match {
    case GreaterThanOrEqual(column: Attribute, Place(least)) =>
      bound(column, least, Long.MaxValue)
    case LessThanOrEqual(column: Attribute, Place(greatest)) =>
      bound(column, Long.MinValue, greatest)
    case EqualTo(column: Attribute, Place(only)) => bound(column, only, only)
    case In(column: Attribute, values) if values.nonEmpty =>
      ofValues(column, values.map(Place.unapply))
    case InSet(column: Attribute, values) if values.nonEmpty =>
      ofValues(column, values.toSeq.map(Place.unapply))
    case _ => None
  }

  private def ofValues(column: Attribute, places: Seq[Option[Long]]): Option[ColumnBound] =
    if (places.contains(None)) None else bound(column, places.flatten.min, places.flatten.max)

  private def bound(column: Attribute, least: Long, greatest: Long): Option[ColumnBound] =
    column.dataType match {
      case _: IntegralType | DateType | TimestampType | TimestampNTZType =>
        Some(ColumnBound(column.name, column.dataType, least, greatest))
      case _ => None
    }

  private object Place {
    def unapply(value: Any): Option[Long] = value match {
      case Literal(inner, _) => unapply(inner)
      case n @ (_: Byte | _: Short | _: Int | _: Long) => Some(n.asInstanceOf[Number].longValue)
      case _ => None
    }
  }
}
