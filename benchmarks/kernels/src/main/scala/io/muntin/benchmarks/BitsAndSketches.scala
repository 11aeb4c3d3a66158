package io.muntin.benchmarks

import java.util.Random

import io.muntin.kernel.Accumulator
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.distinct.CountedHyperLogLog
import io.muntin.kernel.sums.{BitCounts, BitMerge}

/** Bits of random longs: every bit is set in half of the rows. */
abstract class LongsBenchmark extends FrameBenchmark {
  private val random = new Random(20130102L)
  private val inputs = Array.fill(1 << 16)(random.nextLong())
  protected final val longs = new LongColumn(memory, nullable = true)

  override protected def columns: Seq[Column] = Seq(longs)

  override protected def append(slot: Int): Unit = longs.append(inputs(slot))
}

class BitsStacks extends LongsBenchmark {
  private val bits = new BitMerge(memory, longs, and = true)
  override protected def accumulators: Seq[Accumulator] = Seq(bits)
  override protected def result(): Double = bits.value.toDouble + bits.count
}

class BitsCounted extends LongsBenchmark {
  private val bits = new BitCounts(longs, and = true, evicts = true)
  override protected def accumulators: Seq[Accumulator] = Seq(bits)
  override protected def result(): Double = bits.value.toDouble + bits.count
}

class Sketch extends LongsBenchmark {
  private val sketch = new CountedHyperLogLog(memory, longs, 9)
  override protected def accumulators: Seq[Accumulator] = Seq(sketch)
  override protected def result(): Double = sketch.inverseSum + sketch.zeros
}
