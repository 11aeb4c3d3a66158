package io.muntin.kernel.motions

import io.muntin.kernel.columns.{Column, IntColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sorting.SlotHeap

/**
 * Which of the rows in slots ends, and so leaves, next. Rows that never end are not kept here.
 *
 * Where each row ends no sooner than the one before it (validities of one length, say) a queue is
 * enough. So a row that ends no sooner than the last of the queue goes there, and only others into
 * a heap.
 *
 * Where memory is short the queue goes to disk. The heap stays in memory, since each of its steps
 * may touch any part of it.
 *
 * Cost per row: two comparisons, and that of the heap for those in it; 4 to 12 bytes. Guarded by
 * EndsSuite.
 */
final class Ends(memory: Memory, values: Column) {
  import Ends._

  private val queue = new IntColumn(memory)
  private var head = 0L
  private val heap = SlotHeap(memory, values)
  // Which of the two is next: asked several times for each row that leaves.
  private var next = Unknown

  queue.addReader(new Column.Reader { override def floor: Long = head })
  memory.paging.foreach(queue.spillTo)

  def isEmpty: Boolean = head == queue.size && heap.isEmpty

  /** A slot whose row ends first. */
  def first: Int = if (queueIsNext) queue(head) else heap.first

  /** Takes out a slot whose row ends first. */
  def take(): Int = {
    val fromQueue = queueIsNext
    next = Unknown
    if (fromQueue) {
      head += 1
      queue(head - 1)
    } else heap.take()
  }

  def add(slot: Int): Unit = {
    next = Unknown
    val tail = queue.size
    if (head == tail || values.compare(slot.toLong, queue(tail - 1).toLong) >= 0) queue.append(slot)
    else heap.add(slot)
  }

  def clear(): Unit = {
    queue.clear()
    head = 0L
    next = Unknown
    heap.clear()
  }

  def close(): Unit = {
    queue.close()
    heap.close()
  }

  private def queueIsNext: Boolean = {
    if (next == Unknown) next = if (isQueueNext) Queue else Heap
    next == Queue
  }

  private def isQueueNext: Boolean =
    heap.isEmpty || (head < queue.size && values.compare(
      queue(head).toLong,
      heap.first.toLong
    ) <= 0)
}

private object Ends {
  private final val Unknown = 0
  private final val Queue = 1
  private final val Heap = 2
}
