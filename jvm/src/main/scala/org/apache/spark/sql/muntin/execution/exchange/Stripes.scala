package org.apache.spark.sql.muntin.execution.exchange

import java.util.ArrayDeque

import org.apache.spark.TaskContext
import org.apache.spark.sql.muntin.execution.rows.TaskMemory

/**
 * Iterates over the stripes of one task, each with the number of its partition: `step` adds some
 * rows, and a stripe is emitted when it is large enough, or when memory is short for all others.
 *
 * With many partitions, stripes are smaller: all of them together take at most slightly more than
 * `MostBytes`.
 */
private[exchange] abstract class Stripes(layout: Layout, partitions: Int)
    extends Iterator[(Int, Stripe)] {
  protected final val builders = new StripeBuilders(layout, partitions)
  private val memory = new TaskMemory(TaskContext.get().taskMemoryManager())
  private var granted = 0L
  private val ready = new ArrayDeque[(Int, Stripe)]
  private var isEnded = false

  // A stripe of this many bytes or rows is emitted.
  private val enoughBytes: Long =
    math.max(Stripes.FewBytes, math.min(Stripes.BytesOfStripe, Stripes.MostBytes / partitions))
  private val enoughRows: Int = Stripes.rowsIn(enoughBytes, layout)

  /** The most rows of a step. */
  protected final val mostRows: Int = Stripes.rowsIn(Stripes.BytesOfStep, layout)

  TaskContext.get().addTaskCompletionListener[Unit](_ => memory.releaseAll())

  /** Adds some rows. Returns false if there are no more rows. */
  protected def step(): Boolean

  override def hasNext: Boolean = {
    while (ready.isEmpty && !isEnded)
      if (!step()) {
        isEnded = true
        flush()
        // A task may build stripes many times, from the output of each mapper.
        memory.releaseAll()
      }
    !ready.isEmpty
  }

  override def next(): (Int, Stripe) = {
    if (!hasNext) throw new NoSuchElementException
    ready.poll()
  }

  /** Makes room for rows of a partition, with `bytes` bytes of variable-length values. */
  protected final def makeRoom(partition: Int, rows: Int, bytes: Long): Unit = {
    if (
      builders.rows(partition) + rows > Stripe.MostRows ||
      bytes > 0L && builders.varyingBytes(partition) + bytes > Stripes.MostVarying
    ) emit(partition)
    builders.reserve(partition, rows)
  }

  /** Notes that rows were added to a partition. */
  protected final def added(partition: Int): Unit =
    if (
      builders.rows(partition) >= enoughRows ||
      !layout.isFixed && builders.varyingBytes(partition) >= enoughBytes
    ) emit(partition)

  /** Completes a step. */
  protected final def stepped(): Unit = {
    val held = builders.heldBytes
    if (held > granted) {
      val requestedBytes = math.max(held - granted, Stripes.GrantBytes)
      if (memory.tryAcquire(requestedBytes)) granted += requestedBytes else flush()
    }
  }

  private def flush(): Unit = {
    var p = 0
    while (p < partitions) {
      emit(p)
      p += 1
    }
  }

  private def emit(partition: Int): Unit =
    if (builders.rows(partition) > 0) ready.add((partition, builders.take(partition))): Unit
}

private[execution] object Stripes {

  /** Half of a stripe's limit. */
  val MostRowsOfStep: Int = Stripe.MostRows / 2

  /**
   * Roughly the bytes of a stripe. A step adds at most this many bytes of variable-length values,
   * unless one row has more.
   */
  val BytesOfStripe: Long = 1L << 20

  // The output of a step should stay in the processor's cache, column after column.
  private val BytesOfStep = 256L << 10

  private val MostBytes = 32L << 20
  private val FewRows = 64L
  private val FewBytes = 4096L
  private val MostVarying = 1L << 28
  private val GrantBytes = 1L << 20

  /** Returns roughly how many rows of a layout take `bytes` bytes. */
  def rowsIn(bytes: Long, layout: Layout): Int = math
    .max(FewRows, math.min(MostRowsOfStep.toLong, bytes / math.max(1, layout.bytesPerRow)))
    .toInt
}
