package io.muntin.kernel.motions

import io.muntin.kernel.columns.{Column, IntColumn}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sorting.SlotHeap

/**
 * Finds the row in slots that ends, and so leaves, next. Rows that never end are not added.
 *
 * If each row ends no sooner than the previous row (for example, if all validities have one
 * length), a queue is enough. So a row that ends no sooner than the last of the queue is appended
 * to it, and only other rows are added to a heap.
 *
 * If memory is short, the queue is spilled. The heap stays in memory, since each of its steps may
 * access any part of it.
 *
 * Cost per row: two comparisons, and the heap's cost for the rows in it; 4 to 12 bytes. Guarded by
 * EndsSuite.
 */
final class Ends(memory: Memory, values: Column) {
  import Ends._

  private val queue = new IntColumn(memory)
  private var head = 0L
  private val heap = SlotHeap(memory, values)
  // Which of the two is next: cached, because it is used several times for each row that leaves.
  private var next = Unknown

  queue.addReader(new Column.Reader { override def floor: Long = head })
  memory.paging.foreach(queue.spillTo)

  def isEmpty: Boolean = head == queue.size && heap.isEmpty

  /** Returns a slot whose row ends first. */
  def first: Int = if (queueIsNext) queue(head) else heap.first

  /** Removes and returns a slot whose row ends first. */
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
