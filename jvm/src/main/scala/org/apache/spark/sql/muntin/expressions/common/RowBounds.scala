package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, SortOrder, Unevaluable}
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.types._

/**
 * The side of the current row on which a frame's bound lies, and whether the bound has an offset.
 */
sealed abstract class BoundSide(val name: String, val sign: Int) extends Serializable {
  final def hasOffset: Boolean = sign != 0
}

object BoundSide {
  case object Unbounded extends BoundSide("unbounded", 0)
  case object CurrentRow extends BoundSide("current row", 0)
  case object Preceding extends BoundSide("preceding", -1)
  case object Following extends BoundSide("following", 1)

  /** After the current row by an offset that may be negative. */
  case object Shifted extends BoundSide("shifted", 1)

  private val all = Seq(Unbounded, CurrentRow, Preceding, Following, Shifted)

  def apply(name: String): BoundSide = all.find(_.name == name).getOrElse {
    throw new IllegalArgumentException(s"no side of a frame: $name")
  }
}

/**
 * The bounds of a frame whose offsets are expressions of the row. If a side has no offset, its
 * expression is ignored.
 *
 * @param kind
 *   ROWS, RANGE or GROUPS
 */
final case class RowBounds(
    kind: String,
    lowerSide: BoundSide,
    lower: Expression,
    upperSide: BoundSide,
    upper: Expression
) extends Expression
    with BinaryLike[Expression]
    with Unevaluable {
  override def left: Expression = lower

  override def right: Expression = upper

  override def dataType: DataType = NullType

  override def nullable: Boolean = true

  override def sql: String = s"$kind $bounds"

  /** Returns the bounds, as they follow the kind in SQL. */
  def bounds: String =
    s"BETWEEN ${bound(lowerSide, lower, "PRECEDING")} AND ${bound(upperSide, upper, "FOLLOWING")}"

  private def bound(side: BoundSide, offset: Expression, end: String): String = side match {
    case BoundSide.Unbounded => s"UNBOUNDED $end"
    case BoundSide.CurrentRow => "CURRENT ROW"
    case BoundSide.Preceding => s"${offset.sql} PRECEDING"
    case BoundSide.Following | BoundSide.Shifted => s"${offset.sql} FOLLOWING"
  }

  /** Returns the expressions of the row. */
  def offsets: Seq[Expression] =
    (if (lowerSide.hasOffset) Seq(lower) else Nil) ++ (if (upperSide.hasOffset) Seq(upper) else Nil)

  def withOffsets(offsets: Seq[Expression]): RowBounds = {
    val lowest = if (lowerSide.hasOffset) offsets.head else lower
    copy(lower = lowest, upper = if (upperSide.hasOffset) offsets.last else upper)
  }

  /** Returns the bounds with offsets that reject invalid values. */
  def checked(read: Arguments): RowBounds = copy(
    lower = offset(read, lowerSide, lower),
    upper = offset(read, upperSide, upper)
  )

  private def offset(read: Arguments, side: BoundSide, written: Expression): Expression =
    if (!side.hasOffset) written
    else {
      val ofRow = read.row(kind, written)
      val number =
        if (kind == "RANGE") ofRow
        else {
          if (!ofRow.dataType.isInstanceOf[IntegralType]) {
            val counted = if (kind == "ROWS") "rows" else "groups"
            throw new MuntinAnalysisException(
              "MUNTIN_INVALID_FRAME_OFFSET_TYPE",
              "kind" -> kind,
              "offset" -> ofRow.sql,
              "type" -> ofRow.dataType.sql,
              "counted" -> counted
            )
          }
          if (ofRow.dataType == LongType) ofRow else Cast(ofRow, LongType)
        }
      FrameOffset(number, kind, bound(side, written, ""), side == BoundSide.Shifted)
    }

  /** Rejects an ORDER BY with which these bounds are undefined. */
  def check(order: Seq[SortOrder]): Unit = {
    if (kind == "GROUPS" && order.isEmpty) {
      throw new MuntinAnalysisException("MUNTIN_FRAME_REQUIRES_ORDER_BY", "clause" -> kind)
    }
    if (kind == "RANGE" && offsets.nonEmpty) {
      if (order.size != 1) {
        throw new MuntinAnalysisException(
          "MUNTIN_RANGE_REQUIRES_ONE_ORDER",
          "frame" -> sql,
          "count" -> order.size.toString
        )
      }
      offsets.foreach { offset =>
        if (!RowBounds.adds(order.head.child.dataType, offset.dataType)) {
          throw new MuntinAnalysisException(
            "MUNTIN_INVALID_RANGE_OFFSET_TYPE",
            "frame" -> sql,
            "offset" -> offset.sql,
            "type" -> offset.dataType.sql,
            "order" -> order.head.child.sql,
            "orderType" -> order.head.child.dataType.sql
          )
        }
      }
    }
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): RowBounds = copy(lower = newLeft, upper = newRight)
}

object RowBounds {

  /** Returns true if a RANGE offset of this type can be added to a key of that type. */
  def adds(key: DataType, offset: DataType): Boolean = (key, offset) match {
    case (_: NumericType, _: NumericType) => true
    case (DateType, _: IntegralType) => true
    case (
          DateType | TimestampType | TimestampNTZType,
          CalendarIntervalType | _: YearMonthIntervalType | _: DayTimeIntervalType
        ) =>
      true
    case (_: DayTimeIntervalType, _: DayTimeIntervalType) => true
    case (_: YearMonthIntervalType, _: YearMonthIntervalType) => true
    case _ => false
  }
}
