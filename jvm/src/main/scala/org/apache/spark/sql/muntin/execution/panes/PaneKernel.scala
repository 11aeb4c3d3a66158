package org.apache.spark.sql.muntin.execution.panes

import java.util.Arrays

import org.apache.spark.sql.muntin.execution.groups.RowlessFrame
import org.apache.spark.sql.muntin.execution.rows.{InputColumns, KeyTable, Output, TaskMemory}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.PaneMotion
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Aggregates rows by their pane, some thousands of rows at a time (a chunk). The values of the rows
 * are in columns, a sort by the pane's number groups the rows of a pane, and each pane goes through
 * the accumulators in turn. Nothing is kept from one chunk to the next, so memory is bounded by a
 * chunk, for any number of panes.
 *
 * Cost per row: one look-up in a table of keys, two stores per column, one step of each
 * accumulator.
 */
final class PaneKernel(
    plan: PanePlan,
    childOutput: Seq[Attribute],
    memory: TaskMemory
) {
  private val columns = new InputColumns(childOutput, memory)
  private val key = UnsafeProjection.create(plan.keys :+ plan.pane, childOutput)
  private val table = new KeyTable((plan.keys :+ plan.pane).map(_.dataType), memory)
  private val frame = new Frame
  private val feed = columns.feed

  private val initialRows = math.min(PaneKernel.InitialRows, plan.chunkRows)
  memory.acquire(initialRows * PaneKernel.RowBytes)
  // The pane of each row; the rows sorted by pane; the end of each pane's rows.
  private var panes = new Array[Int](initialRows)
  private var byPane = new Array[Int](initialRows)
  private var ends = new Array[Int](initialRows)
  private var mayGrow = true
  // How many panes the first half of the chunk has.
  private var panesOfHalf = 0
  private var rows = 0
  private var current = 0

  def startChunk(): Unit = {
    columns.clear()
    table.clear()
    rows = 0
    current = 0
    mayGrow = true
    panesOfHalf = 0
  }

  def isFull: Boolean = rows == panes.length && !grow() || table.isFull

  def arrive(row: UnsafeRow): Unit = {
    table.queue(key(row))
    feed(row)
    rows += 1
    if (table.queued == KeyTable.Batch) findPanes()
  }

  private def findPanes(): Unit = {
    table.writeNumbers(panes, rows - table.queued)
    if (rows <= panes.length / 2) panesOfHalf = table.size
  }

  /**
   * The larger a chunk is, the less often a pane is emitted: chunks grow up to a size, while memory
   * suffices for columns of the chunk's rows. They do not grow if the rows of a pane arrive close
   * to each other, as on streams: then twice as many rows are twice as many panes, and a table of
   * few panes stays in the processor's cache.
   */
  private def grow(): Boolean = {
    val capacity = panes.length * 2
    val bytes = capacity * PaneKernel.RowBytes
    findPanes()
    if (isLocal) mayGrow = false
    if (mayGrow && capacity <= plan.chunkRows && memory.tryAcquire(bytes)) {
      val columnBytes = capacity * PaneKernel.ColumnBytes * childOutput.size
      if (memory.tryAcquire(columnBytes)) {
        // The columns request this memory themselves.
        memory.release(columnBytes)
        memory.release(bytes / 2)
        panes = Arrays.copyOf(panes, capacity)
        panesOfHalf = table.size
        byPane = new Array[Int](capacity)
        ends = new Array[Int](capacity)
      } else {
        memory.release(bytes)
        mayGrow = false
      }
    } else mayGrow = false
    rows < panes.length
  }

  /**
   * Returns true if the second half of the chunk has as many panes of its own as the first half.
   */
  private def isLocal: Boolean =
    rows >= PaneKernel.LeastLocal && table.size < PaneKernel.MostOfLocal * rows &&
      table.size > PaneKernel.LeastGrowth * panesOfHalf

  /** Ends the chunk, after its last row. */
  def endChunk(): Unit = {
    findPanes()
    val count = table.size
    Arrays.fill(ends, 0, count, 0)
    var i = 0
    while (i < rows) {
      ends(panes(i)) += 1
      i += 1
    }
    var sum = 0
    i = 0
    while (i < count) {
      val size = ends(i)
      ends(i) = sum
      sum += size
      i += 1
    }
    i = 0
    while (i < rows) {
      byPane(ends(panes(i))) = i
      ends(panes(i)) += 1
      i += 1
    }
    columns.reorder(byPane)
  }

  def hasNext: Boolean = current < table.size

  /** Returns the next pane's key, and writes its results to `target`; valid until the next call. */
  def next(target: InternalRow): UnsafeRow = {
    val from = if (current == 0) 0 else ends(current - 1)
    frame.write(from.toLong, ends(current).toLong, target)
    current += 1
    table(current - 1)
  }

  private final class Frame extends RowlessFrame {
    override def memory: Memory = PaneKernel.this.memory

    override protected def columns: InputColumns = PaneKernel.this.columns

    override val motion: PaneMotion = new PaneMotion

    override protected val outputs: Array[Output] = plan.outputs(this)

    def write(from: Long, until: Long, target: InternalRow): Unit = {
      motion.moveTo(from, until)
      writeResults(target)
    }
  }
}

private object PaneKernel {
  private val InitialRows = 1 << 12
  private val RowBytes = 12L

  // The number of rows that decides whether the rows of a pane arrive close to each other: if a
  // pane has more than one row, and twice as many rows have nearly twice as many panes.
  private val LeastLocal = 1 << 16
  private val MostOfLocal = 0.9
  private val LeastGrowth = 1.9

  // A column may have room for twice as many rows as there are.
  private val ColumnBytes = 18L
}
