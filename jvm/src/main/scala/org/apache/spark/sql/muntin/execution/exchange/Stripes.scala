package org.apache.spark.sql.muntin.execution.exchange

import java.util.ArrayDeque

import org.apache.spark.TaskContext
import org.apache.spark.sql.muntin.execution.rows.TaskMemory

/**
 * The stripes of one task, each with the number of its partition, as an iterator: `step` takes in
 * some rows, and a stripe goes out when it is large enough, or when there is no more memory for all
 * that are not.
 *
 * With many partitions, stripes are smaller: all of them together take no more than `MostBytes`, or
 * little more.
 */
private[exchange] abstract class Stripes(layout: Layout, partitions: Int)
    extends Iterator[(Int, Stripe)] {
  protected final val builders = new StripeBuilders(layout, partitions)
  private val memory = new TaskMemory(TaskContext.get().taskMemoryManager())
  private var granted = 0L
  private val ready = new ArrayDeque[(Int, Stripe)]
  private var isEnded = false

  // From so many bytes or rows on, a stripe goes out.
  private val enoughBytes: Long =
    math.max(Stripes.FewBytes, math.min(Stripes.BytesOfStripe, Stripes.MostBytes / partitions))
  private val enoughRows: Int = Stripes.rowsIn(enoughBytes, layout)

  /** How many rows a step takes in, at most. */
  protected final val mostRows: Int = Stripes.rowsIn(Stripes.BytesOfStep, layout)

  TaskContext.get().addTaskCompletionListener[Unit](_ => memory.releaseAll())

  /** Takes in some rows; false where there are none left. */
  protected def step(): Boolean

  override def hasNext: Boolean = {
    while (ready.isEmpty && !isEnded)
      if (!step()) {
        isEnded = true
        flush()
        // A task may make stripes many times, of what each mapper wrote.
        memory.releaseAll()
      }
    !ready.isEmpty
  }

  override def next(): (Int, Stripe) = {
    if (!hasNext) throw new NoSuchElementException
    ready.poll()
  }

  /** Makes room for rows of a partition, with so many bytes of values of varying size. */
  protected final def makeRoom(partition: Int, rows: Int, bytes: Long): Unit = {
    if (
      builders.rows(partition) + rows > Stripe.MostRows ||
      bytes > 0L && builders.varyingBytes(partition) + bytes > Stripes.MostVarying
    ) emit(partition)
    builders.reserve(partition, rows)
  }

  /** Rows have come to a partition. */
  protected final def added(partition: Int): Unit =
    if (
      builders.rows(partition) >= enoughRows ||
      !layout.isFixed && builders.varyingBytes(partition) >= enoughBytes
    ) emit(partition)

  /** A step is done. */
  protected final def stepped(): Unit = {
    val held = builders.heldBytes
    if (held > granted) {
      val wanted = math.max(held - granted, Stripes.GrantBytes)
      if (memory.tryAcquire(wanted)) granted += wanted else flush()
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

  /** Half of what a stripe may have. */
  val MostRowsOfStep: Int = Stripe.MostRows / 2

  /**
   * How many bytes a stripe has, about; so many bytes of values of varying size a step takes in,
   * unless one row has more.
   */
  val BytesOfStripe: Long = 1L << 20

  // What a step writes should be near to the processor, column after column.
  private val BytesOfStep = 256L << 10

  private val MostBytes = 32L << 20
  private val FewRows = 64L
  private val FewBytes = 4096L
  private val MostVarying = 1L << 28
  private val GrantBytes = 1L << 20

  /** How many rows of a layout take so many bytes, about. */
  def rowsIn(bytes: Long, layout: Layout): Int = math
    .max(FewRows, math.min(MostRowsOfStep.toLong, bytes / math.max(1, layout.bytesPerRow)))
    .toInt
}
