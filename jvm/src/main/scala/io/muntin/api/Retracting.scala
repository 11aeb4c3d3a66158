package io.muntin.api

/**
 * Declares that an aggregator can remove a value again. Mixed into Spark's `Aggregator`, a sliding
 * window of any width costs one `reduce` and one `retract` per row; without it, Muntin merges
 * partials.
 *
 * {{{
 *   /** The mean of integers, weighted by integers.
 */
 *   object WeightedMean
 *       extends Aggregator[(Long, Long), (Long, Long), Option[Double]]
 *       with Retracting[(Long, Long), (Long, Long)] {
 *     type Pair = (Long, Long)
 *     def zero: Pair = (0L, 0L)
 *     def reduce(sum: Pair, in: Pair): Pair = (sum._1 + in._1 * in._2, sum._2 + in._2)
 *     def retract(sum: Pair, in: Pair): Pair = (sum._1 - in._1 * in._2, sum._2 - in._2)
 *     def merge(a: Pair, b: Pair): Pair = (a._1 + b._1, a._2 + b._2)
 *     def finish(sum: Pair): Option[Double] =
 *       if (sum._2 == 0L) None else Some(sum._1.toDouble / sum._2)
 *     …
 *   }
 *   spark.udf.register("weighted_mean", functions.udaf(WeightedMean))
 * }}}
 *
 * The contract: rows are taken back out in the order in which they came in, and what is left is
 * what the rows that are still there would have given by themselves. For a buffer `b` of rows `r`,
 * s, t: `retract(b, r)` is equal to `reduce(reduce(zero, s), t)`; and when all rows are out, to
 * `zero`. Like `reduce`, it may change its buffer and return it.
 *
 * Integers, decimals of a fixed scale, counts in a map, a queue of values: all of these can be
 * taken back out. '''Doubles cannot be subtracted''': (1e16 + 1.0) - 1e16 is 0.0, not 1.0, so what
 * a large value has swallowed would stay lost in all windows that follow. An aggregator that adds
 * up doubles should not say that it is Retracting; or it should scale them to longs.
 *
 * @tparam IN
 *   what the aggregator takes in, the `IN` of `Aggregator[IN, BUF, OUT]`
 * @tparam BUF
 *   its buffer, the `BUF` of `Aggregator[IN, BUF, OUT]`
 */
trait Retracting[IN, BUF] {

  /** Returns the buffer without `input`, its oldest input: the exact inverse of `reduce`. */
  def retract(buffer: BUF, input: IN): BUF
}
