package org.apache.spark.sql.muntin.execution.functions

/**
 * Decides which value a percentage represents: with the arithmetic of Spark's functions, operation
 * by operation.
 */
private[execution] sealed abstract class PercentileRule extends Serializable {

  /** Returns the percentile of one value or more. */
  def apply(values: RankedValues, percentage: Double): Double
}

private[execution] object PercentileRule {

  /**
   * percentile, percentile_cont, median: interpolates between two values, if the percentage is
   * between them.
   */
  case object Continuous extends PercentileRule {
    override def apply(values: RankedValues, percentage: Double): Double = {
      val position = (values.count - 1) * percentage
      val lower = math.floor(position).toLong
      val higher = math.ceil(position).toLong
      if (lower == higher) values(lower) else values.between(lower, higher, position - lower)
    }
  }

  /** percentile_disc: the first value whose cume_dist is not below the percentage. */
  case object Discrete extends PercentileRule {
    override def apply(values: RankedValues, percentage: Double): Double =
      values(math.max(math.ceil(values.count * percentage).toLong, 1L) - 1L)
  }

  /** percentile_disc under spark.sql.legacy.percentileDiscCalculation. */
  case object LegacyDiscrete extends PercentileRule {
    override def apply(values: RankedValues, percentage: Double): Double =
      values(math.floor((values.count - 1) * percentage).toLong)
  }

  /**
   * percentile_approx: the value that Spark's summary returns before it has compressed anything.
   * Next to 0 and 1 it is the least and the greatest value, which the summary always keeps. NaN is
   * the greatest value here; Spark's summary, which compares by <=, puts values that follow a NaN
   * anywhere.
   */
  final case class Nearest(relativeError: Double) extends PercentileRule {
    override def apply(values: RankedValues, percentage: Double): Double =
      if (percentage <= relativeError) values(0L)
      else if (percentage >= 1 - relativeError) values(values.count - 1)
      else values(math.ceil(percentage * values.count).toLong - 1)
  }
}
