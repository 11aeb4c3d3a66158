package org.apache.spark.sql.muntin.execution.sort

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.exchange.{Stripe, StripeBatches, StripeRows}
import org.apache.spark.sql.muntin.execution.rows.{RowBatch, RowBatches}

/**
 * Sorts the rows of one task: in memory, or, if memory is refused, in sorted runs on disk that are
 * merged. The sort is stable.
 */
private[execution] final class RowSorter(keys: SortKeys, spillRows: Int, context: TaskContext) {
  private val manager = context.taskMemoryManager()
  private val columns = keys.inputTypes.size
  private val pageMemory = new SortMemory(manager, manager.getTungstenMemoryMode, giveUp)
  // The arrays are always on the heap.
  private val arrayMemory =
    if (manager.getTungstenMemoryMode == MemoryMode.ON_HEAP) pageMemory
    else new SortMemory(manager, MemoryMode.ON_HEAP, giveUp)

  private val files = mutable.ArrayBuffer.empty[StripeFile]
  private var run = newRun()
  // The last run, while its rows are read.
  private var last: RunBatches = _
  private var spilled = 0L
  private var rowsOnDisk = 0L

  context.addTaskCompletionListener[Unit](_ => close())

  def spilledBytes: Long = spilled

  /** Returns how many rows have been added, before they are read. */
  def size: Long = rowsOnDisk + run.size

  def peakBytes: Long =
    if (arrayMemory eq pageMemory) pageMemory.peakBytes
    else pageMemory.peakBytes + arrayMemory.peakBytes

  private def newRun() = new SortRun(keys, pageMemory, arrayMemory)

  def add(row: UnsafeRow): Unit = {
    if (run.isFull || run.size == spillRows) spillRun()
    try run.add(row)
    catch {
      case _: SparkOutOfMemoryError if run.size > 0 =>
        spillRun()
        run.add(row)
    }
  }

  /** Adds the rows of a stripe; one by one, if there is no memory for the stripe. */
  def add(stripe: Stripe): Unit = {
    var from = 0
    while (from < stripe.rows) {
      if (run.isFull || run.size == spillRows || !run.takesStripes) spillRun()
      val added = tryToAdd(stripe, from)
      if (added > 0) from += added
      else if (run.size > 0) spillRun()
      else {
        run.free()
        run = newRun()
        StripeRows.of(keys.layout, Iterator(stripe)).drop(from).foreach { row =>
          add(row.asInstanceOf[UnsafeRow])
        }
        from = stripe.rows
      }
    }
  }

  /** Returns how many rows of a stripe have been added; 0 if memory is refused. */
  private def tryToAdd(stripe: Stripe, from: Int): Int =
    try run.add(stripe, from, math.min(stripe.rows - from, spillRows - run.size))
    catch { case _: SparkOutOfMemoryError => 0 }

  /**
   * Returns the rows in their order, with `reserved` fields, to be read once; a row is valid until
   * the next row is read.
   */
  def sorted(reserved: Int): Iterator[UnsafeRow] = {
    // A few rows fit the processor's cache in any order.
    run.sort(inBuckets = files.nonEmpty || run.size >= RowSorter.ManyRows)
    last = new RunBatches(run, reserved)
    val onDisk = files.map(rowsOf(_, reserved))
    val readers = (onDisk :+ last).map(new SortedReader(_, columns + reserved)).toArray
    if (onDisk.isEmpty) readers.head else new MergedRows(readers, keys.ordering)
  }

  /** Restarts the sorter after all rows have been read, for other rows. */
  def restart(): Unit = {
    last = null
    close()
    files.clear()
    rowsOnDisk = 0L
    run = newRun()
  }

  private def spillRun(): Unit = {
    run.sort(inBuckets = true)
    val before = heldBytes
    rowsOnDisk += run.size
    files += write(run, 0, columns)
    run.free()
    countSpill(before - heldBytes)
    run = newRun()
  }

  /**
   * While rows are read, the remaining rows can be spilled for other operators; an unsorted run
   * cannot.
   */
  private def giveUp(trigger: MemoryConsumer): Long =
    if (trigger.eq(pageMemory) || trigger.eq(arrayMemory) || last == null) 0L
    else last.spill()

  private def heldBytes: Long =
    if (arrayMemory eq pageMemory) pageMemory.getUsed else pageMemory.getUsed + arrayMemory.getUsed

  private def countSpill(bytes: Long): Unit = {
    spilled += bytes
    context.taskMetrics().incMemoryBytesSpilled(bytes)
  }

  /** Writes the rows from `first` on, which have `fields` fields. */
  private def write(run: SortRun, first: Int, fields: Int): StripeFile = {
    val file = new StripeFile(keys.layout)
    try {
      val batch = new RowBatch
      val row = new UnsafeRow(fields)
      var next = first
      while (next < run.size) {
        context.killTaskIfInterrupted()
        next = run.copy(next, batch)
        while (batch.hasNext) {
          batch.advance(row)
          file.write(row)
        }
      }
      file.finish()
    } catch {
      case e: Throwable =>
        file.delete()
        throw e
    }
    context.taskMetrics().incDiskBytesSpilled(file.bytes)
    file
  }

  private def rowsOf(file: StripeFile, reserved: Int): StripeBatches =
    new StripeBatches(
      keys.layout,
      file.read().map { stripe =>
        context.killTaskIfInterrupted()
        stripe
      },
      reserved
    )

  private def close(): Unit = {
    run.free()
    files.foreach(_.delete())
  }

  /** Reads the rows of a sorted run: from memory, as long as they stay there. */
  private final class RunBatches(run: SortRun, reserved: Int) extends RowBatches {
    run.reserveFields(reserved)
    // The first row that is in no batch yet.
    private var next = 0
    private var onDisk: StripeBatches = _

    override def hasNext: Boolean = if (onDisk == null) next < run.size else onDisk.hasNext

    // Another thread of the task may request memory.
    override def fill(batch: RowBatch): Unit = synchronized {
      if (onDisk != null) onDisk.fill(batch)
      else {
        next = run.copy(next, batch)
        if (next == run.size) run.free()
      }
    }

    def spill(): Long = synchronized {
      val before = heldBytes
      if (onDisk == null && next < run.size) {
        val file = write(run, next, columns + reserved)
        files += file
        onDisk = rowsOf(file, reserved)
        run.free()
        countSpill(before - heldBytes)
      }
      before - heldBytes
    }
  }
}

private object RowSorter {
  private val ManyRows = 1 << 14
}
