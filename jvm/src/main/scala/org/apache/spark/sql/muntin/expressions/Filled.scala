package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.Arithmetic
import org.apache.spark.sql.types._

/**
 * The value of fill for one row: `x`, or a value from the nearest rows with a value. `before` and
 * `after` are structs of such a row's value and its time, or null.
 *
 *     linear     before.value + (after.value - before.value) * share of the time between the two
 *     nearest    the nearer one; `before` if both are equally near
 *
 * With `maxGap`, in units of the time, values at a greater distance are not used. With linear, no
 * value is computed between two values at a greater distance.
 */
final case class Filled(
    x: Expression,
    time: Expression,
    before: Option[Expression],
    after: Option[Expression],
    method: String,
    maxGap: Option[BigDecimal],
    descending: Boolean
) extends RuntimeReplaceable {
  override def children: Seq[Expression] = Seq(x, time) ++ before ++ after

  override def prettyName: String = Fill.name

  private val resultType: DataType = DoubleType

  override lazy val replacement: Expression = If(IsNotNull(x), typed(x), found)

  private def found: Expression = (method, before, after) match {
    case (Fill.Linear, Some(b), Some(a)) => between(b, a)
    case (Fill.NearestValue, Some(b), Some(a)) =>
      val isBefore = Or(
        IsNull(a),
        LessThanOrEqual(distance(timeOf(b), time), distance(time, timeOf(a)))
      )
      val nearest = If(isBefore, within(b, timeOf(b), time), within(a, time, timeOf(a)))
      If(IsNotNull(time), nearest, Literal(null, valueOf(b).dataType))
    case (_, Some(b), _) => within(b, timeOf(b), time)
    case (_, _, Some(a)) => within(a, time, timeOf(a))
    case _ => throw new IllegalStateException(s"$method has no row")
  }

  private def within(row: Expression, from: Expression, until: Expression): Expression =
    maxGap.fold(valueOf(row)) { most =>
      If(isWithin(from, until, most), valueOf(row), Literal(null, valueOf(row).dataType))
    }

  private def isWithin(from: Expression, until: Expression, most: BigDecimal): Expression =
    LessThanOrEqual(distance(from, until), Literal(most.toDouble))

  private def between(before: Expression, after: Expression): Expression = {
    val (from, until) = (Cast(valueOf(before), DoubleType), Cast(valueOf(after), DoubleType))
    val whole = distance(timeOf(before), timeOf(after))
    val share = Arithmetic.divide(distance(timeOf(before), time), whole)
    val value =
      Arithmetic.plus(from, Arithmetic.times(Arithmetic.minus(until, from), share))
    val line = maxGap.fold(value) { most =>
      If(isWithin(timeOf(before), timeOf(after), most), value, Literal(null, DoubleType))
    }
    // A value at exactly this time is used, independent of the other side.
    def isHere(from: Expression, until: Expression) =
      EqualTo(distance(from, until), Literal(0.0))
    If(
      isHere(timeOf(before), time),
      from,
      If(isHere(time, timeOf(after)), until, line)
    )
  }

  private def typed(value: Expression): Expression =
    if (method == Fill.Linear && value.dataType != resultType) Cast(value, resultType) else value

  private def valueOf(row: Expression): Expression = GetStructField(row, 0)

  private def timeOf(row: Expression): Expression = GetStructField(row, 1)

  /** Returns the distance in units of the time. */
  private def distance(from: Expression, until: Expression): Expression = {
    val (a, b) = if (descending) (until, from) else (from, until)
    def both(of: Expression => Expression) = Arithmetic.minus(of(b), of(a))
    val difference = time.dataType match {
      case TimestampType | TimestampNTZType =>
        both(PreciseTimestampConversion(_, time.dataType, LongType))
      case DateType => both(UnixDate(_))
      case LongType => both(Cast(_, DecimalType(20, 0)))
      case _: IntegralType => both(Cast(_, LongType))
      case FloatType | DoubleType => both(Cast(_, DoubleType))
      case _ => both(identity)
    }
    Cast(difference, DoubleType)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Filled = {
    val (first, rest) = newChildren.splitAt(2)
    copy(
      x = first(0),
      time = first(1),
      before = before.map(_ => rest.head),
      after = after.map(_ => rest.last)
    )
  }
}
