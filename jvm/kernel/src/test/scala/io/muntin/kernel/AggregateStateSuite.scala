package io.muntin.kernel

import io.muntin.kernel.sums._

class AggregateStateSuite extends MuntinSuite {
  import NeighbourSeries.NoDisorder

  private val counter = new CounterSum(false, NoDisorder)
  private val average = new TimeWeightedSum(false, NoDisorder)
  private val decayed = new DecayedSums(
    DecayedSums.Pairs,
    RowDecay.ofSpan(java.math.BigDecimal.TEN, adjusts = true, ignoresMissing = false)
  )
  private val buckets = new BucketCounts(2)
  private val states = Seq[AggregateState](counter, average, decayed, buckets)

  private def addRows(): Unit = {
    counter.add(-1.5, 1L)
    average.add(-1e300, 1L)
    average.add(Double.NaN, 5L)
    decayed.add(-2.0, -1.0, 3L)
    decayed.miss()
    buckets.change(1, 1L)
  }

  test("bytes of layout 1 begin with a byte that is not negative") {
    states.foreach(_.clear())
    assert(states.forall(AggregateState.toBytes(_).head >= 0))
    addRows()
    assert(states.forall(AggregateState.toBytes(_).head >= 0))
  }

  test("bytes of a later layout are rejected") {
    val bytes = AggregateState.toBytes(buckets)
    bytes(0) = -2
    val error = intercept[IllegalArgumentException](AggregateState.ofBytes(bytes, buckets))
    assert(error.getMessage.contains("layout 2, written by a newer Muntin"))
  }
}
