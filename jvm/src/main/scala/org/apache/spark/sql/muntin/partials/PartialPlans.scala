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
import io.muntin.kernel.sums.{ChunkSum, Moments}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, RuntimeReplaceableAggregate}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

/**
 * `partial` of aggregates that run on exact sums, counts or positions: by the aggregate's own
 * accumulators, whose state is written in place of the aggregate's value.
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
      case sum: Sum if isSummed(sum.child) => Some(KeptSums(partial, call.masked(sum.child)))
      case average: Average if isSummed(average.child) =>
        Some(KeptSums(partial, call.masked(average.child)))
      case moment: CentralMomentAgg if moment.child.dataType == DoubleType =>
        Some(KeptSums(partial, call.masked(moment.child)))
      case _: Count => kept(partial, call.copy(function = function), LongType)
      case Min(child) => kept(partial, call.copy(function = function), child.dataType)
      case Max(child) => kept(partial, call.copy(function = function), child.dataType)
      case _ => None
    }

  private def isSummed(input: Expression): Boolean = input.dataType != NullType

  /** For aggregates whose stored state is their value. */
  private def kept(partial: Partial, call: Call, dataType: DataType): Option[AggregatePlan] =
    (ExactGroupPlans.plans orElse ExtremePlans.plans).lift(call).map(KeptValue(
      partial,
      _,
      dataType
    ))
}

/** A partial each of whose components is held by accumulators. */
private[muntin] trait KeptPartial extends AggregatePlan {
  def partial: Partial

  /** The components in their order, over this frame's accumulators. */
  def components(frame: FrameBuilder): Seq[FrameComponent]

  /** Writes one component to field `ordinal`; a ShortSum to the fields from there on. */
  def component(frame: FrameBuilder, i: Int, ordinal: Int): Output

  final override def build(frame: FrameBuilder, ordinal: Int): Output =
    new PartialOutput(partial, components(frame).toArray, ordinal)
}

private final case class KeptValue(partial: Partial, value: AggregatePlan, dataType: DataType)
    extends KeptPartial {
  override def on(frame: FrameKind): Seq[Abilities] = value.on(frame)

  override def components(frame: FrameBuilder): Seq[FrameComponent] =
    Seq(FrameComponent.of(value.build(frame, 0), dataType))

  override def component(frame: FrameBuilder, i: Int, ordinal: Int): Output =
    value.build(frame, ordinal)
}

private final case class KeptSums(partial: Partial, input: Expression) extends KeptPartial {
  // The count, the sum, and the sum of each higher power.
  private def order: Int = partial.recipe.components.size - 1

  override def on(frame: FrameKind): Seq[Abilities] =
    Seq(if (order == 1) Sums.abilities(input.dataType) else Moments.abilities)

  override def components(frame: FrameBuilder): Seq[FrameComponent] = {
    val sums =
      if (order == 1) Sums.of(frame, input) else Sums.moments(frame, input, order)
    partial.recipe.components.zipWithIndex.map {
      case (counted: CountComponent, _) => FrameComponent.count(counted)(() => sums.count)
      case (summed: SumComponent, i) => new KeptSum(summed, sums.keep(i - 1, _))
      case (other, _) => throw new IllegalStateException(s"$other is not summed")
    }
  }

  override def component(frame: FrameBuilder, i: Int, ordinal: Int): Output = {
    val part = components(frame)(i)
    part.state match {
      case count: CountState => new Output {
          override def write(target: InternalRow): Unit = {
            part.read()
            target.setLong(ordinal, count.count)
          }
        }
      case state: SumState if state.sum.kind == ShortSum.Kind =>
        ShortSum.output(part, state.sum, ordinal)
      case state => new Output {
          override def write(target: InternalRow): Unit = {
            part.read()
            target.update(ordinal, state.value)
          }
        }
    }
  }
}

private final class KeptSum(component: SumComponent, keep: ChunkSum => Unit)
    extends FrameComponent {
  override val state: SumState = component.start()

  override def read(): Unit = keep(state.sum)
}
