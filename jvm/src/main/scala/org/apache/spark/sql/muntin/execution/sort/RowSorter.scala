package org.apache.spark.sql.muntin.execution.sort

import java.util.PriorityQueue

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.exchange.{Stripe, StripeRows}
import org.apache.spark.sql.muntin.execution.rows.{LeavesRoom, LooksAhead, RowBatch}
import org.apache.spark.sql.muntin.spark.RowFile
import org.apache.spark.util.collection.unsafe.sort.UnsafeSorterSpillReader

/**
 * Sorts the rows of one task: in memory, or, where memory is refused, in sorted runs on disk that
 * are merged. Rows of equal keys stay in the order in which they came.
 */
private[execution] final class RowSorter(keys: SortKeys, spillRows: Int, context: TaskContext) {
  private val manager = context.taskMemoryManager()
  private val pageMemory = new SortMemory(manager, manager.getTungstenMemoryMode, giveUp)
  // The arrays are on the heap in any case.
  private val arrayMemory =
    if (manager.getTungstenMemoryMode == MemoryMode.ON_HEAP) pageMemory
    else new SortMemory(manager, MemoryMode.ON_HEAP, giveUp)

  private val files = mutable.ArrayBuffer.empty[RowFile]
  private var run = newRun()
  // The last run, while its rows are read.
  private var last: RunReader = _
  private var spilled = 0L

  context.addTaskCompletionListener[Unit](_ => close())

  def spilledBytes: Long = spilled

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

  /** Adds the rows of a stripe; one by one, where there is no memory for the stripe. */
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

  /** How many rows of a stripe have been added; 0 where memory is refused. */
  private def tryToAdd(stripe: Stripe, from: Int): Int =
    try run.add(stripe, from, math.min(stripe.rows - from, spillRows - run.size))
    catch { case _: SparkOutOfMemoryError => 0 }

  /** The rows in their order, to be read once; a row is valid until the next row is read. */
  def sorted(): Iterator[UnsafeRow] = {
    // A few rows are near to the processor in any order.
    run.sort(inBuckets = files.nonEmpty || run.size >= RowSorter.ManyRows)
    last = new RunReader(run)
    if (files.isEmpty) new RowsOf(last)
    else {
      val readers = files.map(file => new FileReader(file.read(), keys.inputTypes.size))
      new MergedRows((readers :+ last).toSeq, keys.ordering)
    }
  }

  private def spillRun(): Unit = {
    run.sort(inBuckets = true)
    val before = heldBytes
    files += write(run, 0)
    run.free()
    countSpill(before - heldBytes)
    run = newRun()
  }

  /**
   * While rows are read, the rows that are left can go to disk for other operators; an unsorted run
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

  private def write(run: SortRun, first: Int): RowFile = {
    val file = new RowFile(run.size - first)
    try {
      val batch = new RowBatch
      val row = new UnsafeRow(keys.inputTypes.size)
      var next = first
      while (next < run.size) {
        context.killTaskIfInterrupted()
        next = run.copy(next, batch)
        while (batch.hasNext) {
          batch.advance(row)
          file.write(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)
        }
      }
      file.close()
    } catch {
      case e: Throwable =>
        file.delete()
        throw e
    }
    context.taskMetrics().incDiskBytesSpilled(file.writtenBytes)
    file
  }

  private def close(): Unit = {
    run.free()
    files.foreach(_.delete())
  }

  /** The rows of a sorted run: from memory, as long as they may stay there. */
  private final class RunReader(run: SortRun) extends SortedReader {
    private var current = newRow(0)
    private var following = newRow(0)
    private val batch = new RowBatch
    // The first row that is not in the batch.
    private var next = 0
    private var onDisk: FileReader = _

    override def row: UnsafeRow = current

    // Rows that have been copied already would have no room.
    override def leaveRoom(fields: Int): Boolean = synchronized {
      onDisk == null && next == 0 && run.leaveRoom(fields) && {
        current = newRow(fields)
        following = newRow(fields)
        true
      }
    }

    /** A view of rows that have room for so many fields. */
    private def newRow(fields: Int) = new UnsafeRow(keys.inputTypes.size + fields)

    override def hasNext: Boolean =
      batch.hasNext || (if (onDisk == null) next < run.size else onDisk.hasNext)

    override def ahead: UnsafeRow =
      if (!batch.hasNext) null
      else {
        batch.peek(following)
        following
      }

    override def advance(): Unit =
      if (batch.hasNext || fill()) batch.advance(current)
      else {
        onDisk.advance()
        current.pointTo(
          onDisk.row.getBaseObject,
          onDisk.row.getBaseOffset,
          onDisk.row.getSizeInBytes
        )
      }

    // Another thread of the task may ask for memory.
    private def fill(): Boolean = synchronized {
      onDisk == null && {
        next = run.copy(next, batch)
        if (next == run.size) run.free()
        true
      }
    }

    def spill(): Long = synchronized {
      val before = heldBytes
      if (onDisk == null && next < run.size) {
        val file = write(run, next)
        files += file
        onDisk = new FileReader(file.read(), current.numFields)
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

/** Sorted rows, row by row. */
private[execution] abstract class SortedReader extends LeavesRoom with LooksAhead {
  override def leaveRoom(fields: Int): Boolean = false

  override def ahead: UnsafeRow = null

  /** The current row; valid until `advance`. */
  def row: UnsafeRow

  /** Whether there is a row behind it. */
  def hasNext: Boolean

  /** Moves to the next row, of which `hasNext` knows. */
  def advance(): Unit
}

/** The rows of a run on disk. */
private[execution] final class FileReader(file: UnsafeSorterSpillReader, fields: Int)
    extends SortedReader {
  override val row = new UnsafeRow(fields)

  override def hasNext: Boolean = file.hasNext

  override def advance(): Unit = {
    file.loadNext()
    row.pointTo(file.getBaseObject, file.getBaseOffset, file.getRecordLength)
  }
}

private[execution] final class RowsOf(reader: SortedReader)
    extends Iterator[UnsafeRow]
    with LeavesRoom
    with LooksAhead {
  override def leaveRoom(fields: Int): Boolean = reader.leaveRoom(fields)

  override def ahead: UnsafeRow = reader.ahead

  override def hasNext: Boolean = reader.hasNext

  override def next(): UnsafeRow = {
    if (!reader.hasNext) throw new NoSuchElementException
    reader.advance()
    reader.row
  }
}

/** Several sorted runs as one; of equal rows, the rows of earlier runs come first. */
private[execution] final class MergedRows(
    readers: Seq[SortedReader],
    ordering: Ordering[InternalRow]
) extends Iterator[UnsafeRow] {
  private val numbered = readers.toArray
  private val heads = new PriorityQueue[Integer](
    numbered.length,
    (left: Integer, right: Integer) => {
      val order = ordering.compare(numbered(left).row, numbered(right).row)
      if (order != 0) order else Integer.compare(left, right)
    }
  )
  // The reader whose row was given out last; -1 where there is none.
  private var current: Integer = -1

  numbered.indices.foreach(join(_))

  private def join(number: Integer): Unit = if (numbered(number).hasNext) {
    numbered(number).advance()
    heads.add(number): Unit
  }

  override def hasNext: Boolean = !heads.isEmpty || current >= 0 && numbered(current).hasNext

  override def next(): UnsafeRow = {
    // Only now: until here the row that was given out is valid.
    if (current >= 0) join(current)
    current = -1
    if (heads.isEmpty) throw new NoSuchElementException
    current = heads.poll()
    numbered(current).row
  }
}
