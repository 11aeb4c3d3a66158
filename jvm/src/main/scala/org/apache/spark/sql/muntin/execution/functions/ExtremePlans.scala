package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{Output, PickOutput, ValueType}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.extremes.{
  ExtremeOfPieces,
  FollowedExtreme,
  NonMonotonicExtreme,
  Pick,
  RunningExtreme,
  ScatteredExtreme,
  SharedExtremes,
  SlidingExtreme
}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate._

/**
 * Plans min, max, min_by, max_by (and bool_and, bool_or, which Spark turns into min and max of
 * booleans).
 */
object ExtremePlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(Max(input), _) =>
      val masked = call.masked(input)
      ExtremeRow(masked, masked, 1, latest = false)
    case call @ Call(Min(input), _) =>
      val masked = call.masked(input)
      ExtremeRow(masked, masked, -1, latest = false)
    // Among rows with equal orderings Spark's max_by and min_by take the last.
    case call @ Call(MaxBy(value, order), _) =>
      ExtremeRow(value, call.masked(order), 1, latest = true)
    case call @ Call(MinBy(value, order), _) =>
      ExtremeRow(value, call.masked(order), -1, latest = true)
  }
}

private[muntin] final case class ExtremeRow(
    value: Expression,
    order: Expression,
    sign: Int,
    latest: Boolean
) extends AggregatePlan {
  private def isLong: Boolean = ValueType(order.dataType).isLong

  private def ofValues: Boolean = value.canonicalized == order.canonicalized

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(
    if (frame.isScattered) ScatteredExtreme.abilities
    else if (frame.hasHoles) SlidingExtreme.abilities.byPiece
    else if (frame.isNonMonotonic) NonMonotonicExtreme.abilities
    else if (!frame.evicts) RunningExtreme.abilities(ofValues, isLong)
    else if (frame.isFollowed && isLong && ofValues) FollowedExtreme.abilities
    else SlidingExtreme.abilities
  )

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val key = ("extreme", value.canonicalized, order.canonicalized, sign, latest)
    val values = frame.column(value)
    val orders = frame.column(order)
    val extreme = frame.slots match {
      case Some(slots) =>
        frame.accumulator[Pick](key) {
          new ScatteredExtreme(frame.memory, slots, orders, values, sign, latest)
        }
      case None if frame.isNonMonotonic =>
        frame.accumulator[Pick](key) {
          new NonMonotonicExtreme(frame.memory, orders, values, sign, latest, frame.motion)
        }
      case None =>
        frame.across(key)(new SharedExtremes(frame.memory, orders, sign, latest)) match {
          case Some(shared) => frame.accumulator[Pick](key)(shared.view(values))
          case None =>
            frame.accumulatorOfPieces[Pick, SlidingExtreme](key) { piece =>
              orders match {
                case _ if !piece.evicts => new RunningExtreme(orders, values, sign, latest)
                case same: LongColumn if piece.isFollowed && (same eq values) =>
                  new FollowedExtreme(frame.memory, same, sign)
                case _ => new SlidingExtreme(frame.memory, orders, values, sign, latest)
              }
            }(new ExtremeOfPieces(_, orders, values, sign, latest))
        }
    }
    new PickOutput(extreme, ordinal, ValueType(value.dataType).writer(ordinal))
  }
}
