package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.aggregates.AggregateInputs
import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.{Abilities, Accumulator}
import io.muntin.kernel.distinct.{DistinctRows, Tally}
import io.muntin.kernel.motions.Motion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.spark.{CollectListCall, CollectSetCall}

/** Plans DISTINCT, around the plan of the aggregate itself. */
object DistinctPlans {

  /**
   * Returns the plan of an aggregate over distinct values; `plain` plans the aggregate over all
   * values.
   */
  def plan(call: Call, plain: Call => Option[AggregatePlan]): Option[AggregatePlan] =
    call.function match {
      // These have the same result with and without DISTINCT.
      case _: Max | _: Min | _: BitAndAgg | _: BitOrAgg | _: HyperLogLogPlusPlus | _: CollectSet =>
        plain(call)
      case Count(inputs) => Some(CountDistinct(TallyKey.present(call, inputs)))
      case CollectListCall(input, ignoreNulls) =>
        plain(call.copy(function = CollectSetCall(input, ignoreNulls)))
      case function: AggregateFunction =>
        val key = TallyKey.present(call, AggregateInputs.of(function))
        plain(Call(TallyKey.normalized(function), None))
          .filter(_.takesByValue)
          .map(DistinctValues(_, key))
          .orElse(FoldDistinct.plan(function, call))
      case _ => None
    }
}

private final case class CountDistinct(key: TallyKey) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(Tally.abilities)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val tally = key.build(frame)
    new Output {
      override def write(target: InternalRow): Unit = target.setLong(ordinal, tally.size.toLong)
    }
  }
}

/** The aggregate's own accumulators, driven by a tally instead of the motion. */
private final case class DistinctValues(plan: AggregatePlan, key: TallyKey) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    plan.abilitiesIn(frame).map(a => Tally.abilities.withName(s"${a.name}, of a tally's values"))

  override def build(frame: FrameBuilder, ordinal: Int): Output =
    plan.build(new DistinctFrame(frame, key), ordinal)
}

/** A frame over its distinct values: an accumulator receives each value once. */
private final class DistinctFrame(frame: FrameBuilder, key: TallyKey) extends FrameView(frame) {
  override def motion: Motion = frame.motion

  override def accumulator[A <: Accumulator](name: AnyRef)(make: => A): A =
    shared(("distinct", key, name)) {
      val made = make
      rows.drive(made)
      made
    }

  override def shared[A <: AnyRef](name: AnyRef)(make: => A): A = frame.shared(name)(make)

  private def rows: DistinctRows =
    frame.shared(("distinct rows", key))(new DistinctRows(key.build(frame)))
}
