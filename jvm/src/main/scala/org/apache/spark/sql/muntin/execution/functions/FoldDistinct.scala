package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.aggregates.{AggregateInputs, SparkAggregate}
import org.apache.spark.sql.muntin.execution.rows.{ColumnRow, Output}
import io.muntin.kernel.Abilities
import io.muntin.kernel.distinct.Tally
import io.muntin.kernel.merging.{Fold, GrowingFold, RecomputingFold}
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/**
 * Plans any other aggregate over distinct values: it is folded from the start for each result, over
 * the first row with each value. If a frame only grows, each new value is folded as it arrives.
 */
final case class FoldDistinct(function: AggregateFunction, key: TallyKey) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = {
    val folded =
      if (frame.evicts) RecomputingFold.abilities else GrowingFold.abilities(isSaved = false)
    Seq(Tally.abilities.withName(s"${folded.name}, of a tally's values"))
  }

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val inputs = AggregateInputs.of(function)
    val (replaced, attributes) = AggregateInputs.replaced(function, inputs)
    val aggregate = SparkAggregate(SparkAggregate.bindEncoders(replaced), attributes)
    val columns = inputs.map(frame.column)
    if (frame.evicts) columns.foreach(_.staysInMemory())
    aggregate.readFrom(new ColumnRow(columns, inputs.map(_.dataType)), None)
    val refresh: () => Unit =
      if (!frame.evicts) {
        val tally = key.build(frame)
        tally.addListener(new FoldOfNew(tally, aggregate))
        () => ()
      } else {
        val rows = FirstSeenRows.listed(frame, key)
        () => {
          aggregate.zero()
          rows.find()
          var i = 0
          while (i < rows.size) {
            aggregate.update(rows(i))
            i += 1
          }
        }
      }
    new AggregateOutput(refresh, aggregate.value, function, ordinal)
  }
}

object FoldDistinct {
  def plan(function: AggregateFunction, call: Call): Option[AggregatePlan] = {
    val values = AggregateInputs.of(function)
    if (
      SparkAggregate.canRun(function) && function.deterministic &&
      values.forall(v => RowOrdering.isOrderable(v.dataType))
    ) {
      Some(FoldDistinct(function, TallyKey.all(call, values)))
    } else None
  }
}

/** Adds each new value of a growing frame. */
private final class FoldOfNew(tally: Tally, fold: Fold) extends Tally.Listener {
  override def entered(code: Int, position: Long): Unit =
    if (tally.count(code) == 1L) fold.update(position)

  override def left(code: Int, position: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def clear(): Unit = fold.zero()

  override def close(): Unit = ()
}
