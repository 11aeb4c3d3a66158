package io.muntin.benchmarks

import io.muntin.kernel.Accumulator
import io.muntin.kernel.columns.{Column, DoubleColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.{FrameMotion, RowsEdge}
import java.util.Random
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

/**
 * One row of a sliding frame without Spark: append to the columns, move the frame, read the result.
 * The partition never ends, so the benchmark measures the steady state: a row enters, a row leaves.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
abstract class FrameBenchmark {

  @Param(Array("3", "10", "1000", "100000"))
  var width: Int = _

  protected val memory: Memory = Memory.Unlimited
  protected final val v = new DoubleColumn(memory, nullable = true)
  protected final val w = new DoubleColumn(memory, nullable = true)
  private val random = new Random(20130101L)
  private val inputs = Array.fill(1 << 16)(100.0 + 15.0 * random.nextGaussian())
  private var motion: FrameMotion = _
  private var row = 0L

  /** The accumulators of the frame. */
  protected def accumulators: Seq[Accumulator]

  /** The columns that the accumulators read. */
  protected def columns: Seq[Column] = Seq(v, w)

  /** Appends a row to the columns. */
  protected def append(slot: Int): Unit = {
    v.append(inputs(slot))
    w.append(inputs(slot ^ 1))
  }

  /** Returns the result that a query would read for the current row's frame. */
  protected def result(): Double

  @Setup
  def fill(): Unit = {
    motion = new FrameMotion(new RowsEdge(1L - width), new RowsEdge(1L))
    accumulators.foreach(motion.drive)
    columns.foreach(_.addReader(motion))
    motion.startPartition()
    while (row < 2L * width) next()
  }

  @Benchmark
  @OperationsPerInvocation(FrameBenchmark.Rows)
  def rows(): Double = {
    var total = 0.0
    var i = 0
    while (i < FrameBenchmark.Rows) {
      next()
      total += result()
      i += 1
    }
    total
  }

  private def next(): Unit = {
    append(row.toInt & (inputs.length - 1))
    motion.arrive(row + 1L)
    if (!motion.isReady(row, row + 1L, ended = false)) throw new IllegalStateException
    motion.advance(row)
    row += 1L
  }
}

object FrameBenchmark {
  final val Rows = 4096
}
