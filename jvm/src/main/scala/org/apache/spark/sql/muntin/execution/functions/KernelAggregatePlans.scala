package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.Abilities
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{EWM, Expression}
import org.apache.spark.sql.muntin.aggregates.KernelAggregate
import org.apache.spark.sql.muntin.execution.rows.Output
import org.apache.spark.sql.muntin.expressions.{Ewm, EwmStatistic, RowWeights}

/**
 * Plans Muntin's own aggregates that are merged, each by its own partial; and the weighted mean of
 * the pandas API on Spark, which is one of them.
 */
object KernelAggregatePlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(own: KernelAggregate[_], _) => KernelAggregatePlan(own, call.marks)
    case call @ Call(SparkEwm(mean), _) => KernelAggregatePlan(mean, call.marks)
  }

  private object SparkEwm {
    def unapply(function: Expression): Option[Ewm] = function match {
      case ewm: EWM if ewm.alpha > 0.0 && ewm.alpha <= 1.0 =>
        val alpha = new java.math.BigDecimal(ewm.alpha)
        val weights =
          RowWeights("alpha", alpha, ewm.alpha.toString, adjusts = true, ewm.ignoreNA)
        Some(Ewm(EwmStatistic.Mean, Seq(ewm.input), isTimed = false, weights))
      case _ => None
    }
  }
}

private final case class KernelAggregatePlan(
    function: KernelAggregate[_],
    marks: Option[Expression]
) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(MergedFrame.abilities(frame, function.isSmall))

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val columns = function.inputs.map(frame.column)
    val passing = marks.map(frame.column).filter(_.isNullable)
    val run = function.overColumns(columns, passing)
    // Each function has its own current partial.
    val folded = MergedFrame.fold(frame, ("own", ordinal), run.partials)
    new Output {
      override def write(target: InternalRow): Unit = {
        folded.refresh()
        run.write(target, ordinal)
      }
    }
  }
}
