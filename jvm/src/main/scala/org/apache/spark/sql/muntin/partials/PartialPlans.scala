package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.muntin.execution.functions.{
  AggregatePlan,
  Call,
  ExactGroupPlans,
  ExtremePlans,
  FrameBuilder,
  FrameKind,
  Sums
}
import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.Abilities
import io.muntin.kernel.sums.{ChunkSum, ExactSums, Moments}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, RuntimeReplaceableAggregate}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

/**
 * Plans `partial` of aggregates that run on exact sums, counts or positions: it uses the
 * aggregate's own accumulators, and writes their state instead of the aggregate's value.
 */
object PartialPlans {
  val plans: PartialFunction[Call, AggregatePlan] = Function.unlift(plan)

  private def plan(call: Call): Option[AggregatePlan] = call.function match {
    case partial: Partial if !partial.isDistinct => plan(partial, partial.function, call)
    case _ => None
  }

  private def plan(
      partial: Partial,
      function: AggregateFunction,
      call: Call
  ): Option[AggregatePlan] =
    function match {
      case _: CountIf => None
      case replaced: RuntimeReplaceableAggregate =>
        replaced.replacement match {
          case other: AggregateFunction => plan(partial, other, call)
          case _ => None
        }
      case sum: Sum if isSummed(sum.child) => Some(SumsPartial(partial, call.masked(sum.child)))
      case average: Average if isSummed(average.child) =>
        Some(SumsPartial(partial, call.masked(average.child)))
      case moment: CentralMomentAgg if moment.child.dataType == DoubleType =>
        Some(SumsPartial(partial, call.masked(moment.child)))
      case _: Count => ofAccumulators(partial, call.copy(function = function), LongType)
      case Min(child) => ofAccumulators(partial, call.copy(function = function), child.dataType)
      case Max(child) => ofAccumulators(partial, call.copy(function = function), child.dataType)
      case _ => None
    }

  private def isSummed(input: Expression): Boolean = input.dataType != NullType

  /** Returns the plan for aggregates whose stored state is their value. */
  private def ofAccumulators(
      partial: Partial,
      call: Call,
      dataType: DataType
  ): Option[AggregatePlan] =
    (ExactGroupPlans.plans orElse ExtremePlans.plans).lift(call).map(ValuePartial(
      partial,
      _,
      dataType
    ))
}

/** The plan of a partial whose components are all held by accumulators. */
private[muntin] trait AccumulatorPartial extends AggregatePlan {
  def partial: Partial

  /** Returns the partial's fields in their order, over this frame's accumulators. */
  def fields(frame: FrameBuilder): Seq[FieldState]

  /** Writes one field of the partial to field `ordinal`; a ShortSum to the fields from there on. */
  def field(frame: FrameBuilder, i: Int, ordinal: Int): Output

  final override def build(frame: FrameBuilder, ordinal: Int): Output =
    FieldsOutput(partial, fields(frame), ordinal)
}

private final case class ValuePartial(partial: Partial, value: AggregatePlan, dataType: DataType)
    extends AccumulatorPartial {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = value.abilitiesIn(frame)

  override def fields(frame: FrameBuilder): Seq[FieldState] =
    Seq(new WrittenField(value.build(frame, 0), dataType))

  override def field(frame: FrameBuilder, i: Int, ordinal: Int): Output =
    value.build(frame, ordinal)
}

private final case class SumsPartial(partial: Partial, input: Expression)
    extends AccumulatorPartial {
  // Returns the order of the highest power: after the count, there is the sum, and the sum of each
  // higher power.
  private def order: Int = partial.layout.partialFields.size - 1

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(if (order == 1) Sums.abilities(input.dataType) else Moments.abilities)

  override def fields(frame: FrameBuilder): Seq[FieldState] = {
    val sums: ExactSums =
      if (order == 1) Sums.of(frame, input) else Sums.moments(frame, input, order)
    partial.layout.partialFields.zipWithIndex.map {
      case (_: CountPartialField, _) => new CountField { override def count: Long = sums.count }
      case (summed: SumPartialField, i) => new AccumulatedSum(sums, i - 1, summed.kind)
      case (other, _) => throw new IllegalStateException(s"$other is not a sum")
    }
  }

  override def field(frame: FrameBuilder, i: Int, ordinal: Int): Output =
    fields(frame)(i) match {
      case counted: CountField => new Output {
          override def write(target: InternalRow): Unit = target.setLong(ordinal, counted.count)
        }
      case summed: AccumulatedSum if summed.kind == ShortSum.Kind =>
        new Output {
          override def write(target: InternalRow): Unit =
            ShortSum.write(summed.sum, target, ordinal)
        }
      case other => new Output {
          override def write(target: InternalRow): Unit = target.update(ordinal, other.value)
        }
    }
}

/** The `i`-th of the sums in accumulators. */
private final class AccumulatedSum(sums: ExactSums, i: Int, val kind: ChunkSum.Kind)
    extends SumField {
  private val target = ChunkSum(kind)

  override def sum: ChunkSum = {
    sums.keep(i, target)
    target
  }
}
