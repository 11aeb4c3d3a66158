package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.muntin.execution.functions.{
  AggregatePlan,
  Call,
  ExtremeRow,
  FrameBuilder,
  FrameKind,
  Sums
}
import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{DoubleColumn, ObjectColumn}
import io.muntin.kernel.sums.{ChunkSum, IntegerSum, PartialSum}
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Plans merge_partial for partials that can be subtracted when they leave a frame, or need not be:
 * counts and sums, and extremes. Other partials are merged in blocks, as in any aggregate.
 */
object MergedPartialPlans {
  val plans: PartialFunction[Call, AggregatePlan] = Function.unlift(plan)

  private def plan(call: Call): Option[AggregatePlan] = call.function match {
    case merging: MergePartial =>
      val stored = merging.partialFields.map(call.masked)
      merging.layout.partialFields match {
        // The stored state is the value.
        case Seq(extreme: ExtremePartialField) if merging.asPartial.isEmpty =>
          Some(ExtremeRow(stored.head, stored.head, extreme.sign, latest = false))
        case partialFields if partialFields.forall(isKnown) => Some(MergedPartials(merging, stored))
        case _ => None
      }
    case _ => None
  }

  private def isKnown(partialField: PartialField): Boolean = partialField match {
    case _: CountPartialField | _: SumPartialField | _: ExtremePartialField => true
    case _ => false
  }
}

private final case class MergedPartials(function: MergePartial, stored: Seq[Expression])
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = {
    val of = function.layout.partialFields.zip(stored).flatMap {
      case (_: CountPartialField, _) => Seq(IntegerSum.abilities)
      case (extreme: ExtremePartialField, input) => ofExtreme(extreme, input).abilitiesIn(frame)
      case _ => Seq(PartialSum.abilities)
    }
    // A count next to sums of partials is part of the sums.
    if (of.contains(PartialSum.abilities)) of.filterNot(_ == IntegerSum.abilities) else of
  }

  private def ofExtreme(extreme: ExtremePartialField, input: Expression): AggregatePlan =
    ExtremeRow(input, input, extreme.sign, latest = false)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val fields: Seq[FieldState] = function.layout.partialFields.zip(stored).map {
      case (_: CountPartialField, input) =>
        val sum = Sums.integer(frame, input)
        new CountField { override def count: Long = sum.long }
      case (sum: SumPartialField, input) =>
        val partials = frame.accumulator(("partial sum", input.canonicalized, sum.kind)) {
          def column(input: Expression) = frame.column(input).asInstanceOf[ObjectColumn]
          def doubles(input: Expression) = frame.column(input).asInstanceOf[DoubleColumn]
          input match {
            case ShortSum(high, low, bytes) =>
              val pair = Some((doubles(high), doubles(low)))
              new PartialSum(column(bytes), sum.kind, pair, function.invalidPartial)
            case _ => new PartialSum(column(input), sum.kind, None, function.invalidPartial)
          }
        }
        new SumField { override def sum: ChunkSum = partials.sum }
      case (extreme: ExtremePartialField, input) =>
        new WrittenField(ofExtreme(extreme, input).build(frame, 0), extreme.dataType)
      case (other, _) => throw new IllegalStateException(s"$other is not a sum")
    }
    FieldsOutput(function, fields, ordinal)
  }
}
