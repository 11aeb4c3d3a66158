package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.distinct.{CountedHyperLogLog, HyperLogLog, RunningHyperLogLog}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.HyperLogLogPlusPlus
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.util.HyperLogLogPlusPlusHelper
import org.apache.spark.sql.muntin.spark.ValueHash
import org.apache.spark.sql.types._

/** Plans approx_count_distinct, with the registers of Spark's own sketch, and so its estimates. */
object ApproximateCounts {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(HyperLogLogPlusPlus(input, relativeSD, _, _), _)
        if ValueHash.supports(input.dataType) &&
          Estimate.precision(relativeSD) <= MaxPrecision =>
      ApproximateCount(call.masked(hashed(input)), relativeSD)
  }

  // With a higher precision, the registers would take gigabytes.
  private val MaxPrecision = 24

  /** Returns the hash that Spark's sketch uses for a value; null for a value that it ignores. */
  private def hashed(input: Expression): Expression = {
    val normal = input.dataType match {
      case FloatType | DoubleType => NormalizeNaNAndZero(input)
      case _ => input
    }
    val hash = ValueHash.expression(normal)
    if (input.nullable) If(IsNull(input), Literal(null, LongType), hash) else hash
  }
}

private final case class ApproximateCount(hash: Expression, relativeSD: Double)
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(if (frame.evicts) CountedHyperLogLog.abilities else RunningHyperLogLog.abilities)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val p = Estimate.precision(relativeSD)
    val hashes = frame.column(hash).asInstanceOf[LongColumn]
    val key = ("registers", hash.canonicalized, p)
    val registers = frame.accumulator[HyperLogLog](key) {
      if (frame.evicts) new CountedHyperLogLog(frame.memory, hashes, p)
      else new RunningHyperLogLog(frame.memory, hashes, p)
    }
    val estimate = new Estimate(relativeSD)
    new Output {
      private var lastChange = -1L
      private var count = 0L

      override def write(target: InternalRow): Unit = {
        if (registers.changes != lastChange) {
          lastChange = registers.changes
          count = estimate(registers.inverseSum, registers.zeros)
        }
        target.setLong(ordinal, count)
      }
    }
  }
}

/**
 * Computes the estimate of HyperLogLogPlusPlusHelper.query from its registers, in the same doubles;
 * the tables are the helper's.
 */
private final class Estimate(relativeSD: Double) {
  private val helper = new HyperLogLogPlusPlusHelper(relativeSD)
  private val p = Estimate.precision(relativeSD)
  private val m = 1 << p

  private val alphaM2 = p match {
    case 4 => 0.673d * m * m
    case 5 => 0.697d * m * m
    case 6 => 0.709d * m * m
    case _ => (0.7213d / (1.0d + 1.079d / m)) * m * m
  }

  // The bias is known only for these precisions.
  private val isCorrected = p < 19

  def apply(inverseSum: Double, zeros: Int): Long = {
    val raw = alphaM2 / inverseSum
    val linear = if (zeros > 0) m * math.log(m / zeros.toDouble) else Double.PositiveInfinity
    val isLinear = zeros > 0 && (isCorrected && linear <= threshold || raw <= 2.5 * m)
    Math.round(
      if (isLinear) linear
      else if (isCorrected && raw < 5.0d * m) raw - helper.estimateBias(raw)
      else raw
    )
  }

  private def threshold: Double = HyperLogLogPlusPlusHelper.THRESHOLDS(p - 4)
}

private object Estimate {

  /** Returns how many bits of a hash choose its register, for a relative standard deviation. */
  def precision(relativeSD: Double): Int =
    Math.ceil(2.0d * Math.log(1.106d / relativeSD) / Math.log(2.0d)).toInt
}
