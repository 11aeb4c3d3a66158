package io.muntin.benchmarks

import io.muntin.kernel.Accumulator
import io.muntin.kernel.distinct.{FirstSeen, MostFrequent, Tally}
import io.muntin.kernel.extremes.{SlidingExtreme, SlidingNth}
import io.muntin.kernel.sums.{Comoments, ExactSum, Moments, NonNullCount}

/** The frame without an accumulator. */
class Motion extends FrameBenchmark {
  override protected def accumulators: Seq[Accumulator] = Nil
  override protected def result(): Double = 0.0
}

class Count extends FrameBenchmark {
  private val count = new NonNullCount(v)
  override protected def accumulators: Seq[Accumulator] = Seq(count)
  override protected def result(): Double = count.count.toDouble
}

/** A sum and a mean of one column. */
class SumAvg extends FrameBenchmark {
  private val sum = new ExactSum(v)
  override protected def accumulators: Seq[Accumulator] = Seq(sum)
  override protected def result(): Double = sum.sum + sum.mean
}

class MinMax extends FrameBenchmark {
  private val min = new SlidingExtreme(memory, v, v, -1, latest = false)
  private val max = new SlidingExtreme(memory, v, v, 1, latest = false)
  override protected def accumulators: Seq[Accumulator] = Seq(min, max)
  override protected def result(): Double = v(min.position) + v(max.position)
}

class FirstLastNth extends FrameBenchmark {
  private val first = new SlidingNth(memory, v, None, 1)
  private val last = new SlidingNth(memory, v, None, -1)
  private val second = new SlidingNth(memory, v, None, 2)
  override protected def accumulators: Seq[Accumulator] = Seq(first, last, second)
  override protected def result(): Double =
    v(first.position) + v(last.position) + v(second.position)
}

class Variance extends FrameBenchmark {
  private val moments = new Moments(v, order = 2)
  override protected def accumulators: Seq[Accumulator] = Seq(moments)
  override protected def result(): Double = moments.sums.variance(1)
}

class Kurtosis extends FrameBenchmark {
  private val moments = new Moments(v, order = 4)
  override protected def accumulators: Seq[Accumulator] = Seq(moments)
  override protected def result(): Double = moments.sums.excessKurtosis
}

class Correlation extends FrameBenchmark {
  private val pairs = new Comoments(v, w, squaresOfX = true, squaresOfY = true)
  override protected def accumulators: Seq[Accumulator] = Seq(pairs)
  override protected def result(): Double = pairs.sums.correlation
}

/** The distinct values of 65,536, in the order of rows. */
class Distinct extends FrameBenchmark {
  private val tally = new Tally(memory, Array(v), None, skipsNulls = true, evicts = true)
  override protected def accumulators: Seq[Accumulator] = Seq(tally)
  override protected def result(): Double = tally.size.toDouble
}

class Mode extends FrameBenchmark {
  private val tally = new Tally(memory, Array(v), None, skipsNulls = true, evicts = true)
  private val winner = new MostFrequent(memory, tally, 1)
  override protected def accumulators: Seq[Accumulator] = Seq(tally)
  override protected def result(): Double = winner.code.toDouble
}

/** Keeps the first rows of the distinct values, and reads the oldest. */
class FirstOfDistinct extends FrameBenchmark {
  private val tally = new Tally(memory, Array(v), None, skipsNulls = true, evicts = true)
  private val seen = new FirstSeen(memory, tally)
  override protected def accumulators: Seq[Accumulator] = Seq(tally)
  override protected def result(): Double = seen.from(0L).toDouble
}
