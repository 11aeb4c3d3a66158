package org.apache.spark.sql.muntin.execution.rows

import io.muntin.kernel.memory.{Memory, Paging}
import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.sql.muntin.spark.OutOfMemory

/**
 * The kernels' memory, counted with the task's memory manager. If memory is refused, or another
 * operator requests memory, columns that can be spilled release some of their memory (`takesFrom`).
 * If memory is still refused, the task fails, as with Spark's own operators. `releaseAll` releases
 * all memory when the task ends, in any way.
 */
final class TaskMemory(manager: TaskMemoryManager)
    extends MemoryConsumer(manager, MemoryMode.ON_HEAP)
    with Memory {
  private var peak = 0L
  private var takenFrom: Option[Paging] = None
  private var dropped: () => Boolean = () => false
  private var inHand: () => Option[Paging] = () => None
  // The thread that reads the columns.
  private var thread: Thread = _
  private var isAsking = false

  def peakBytes: Long = peak

  /** Lets the columns of `paging` release memory for objects that cannot be spilled. */
  private def takesFrom(paging: Paging): Unit = takenFrom = Some(paging)

  /**
   * Sets the action before anything is spilled: `drop` drops dispensable objects, and returns true
   * if it dropped any. Columns of `inHand` release memory next.
   */
  private[muntin] def dropsFirst(drop: () => Boolean, inHand: () => Option[Paging]): Unit = {
    dropped = drop
    this.inHand = inHand
  }

  override def paging: Option[Paging] = takenFrom

  private def giveUp(): Boolean =
    dropped() || inHand().exists(_.giveUp()) || paging.exists(_.giveUp())

  override def acquire(bytes: Long): Unit = {
    var granted = ask(bytes)
    while (granted < bytes && giveUp()) granted += ask(bytes - granted)
    if (granted < bytes) {
      freeMemory(granted)
      throw OutOfMemory.ofWindows(requested = bytes, granted = granted)
    }
    peak = math.max(peak, getUsed)
  }

  override def tryAcquire(bytes: Long): Boolean = {
    var granted = ask(bytes)
    while (granted < bytes && dropped()) granted += ask(bytes - granted)
    if (granted < bytes) freeMemory(granted) else peak = math.max(peak, getUsed)
    granted >= bytes
  }

  private def ask(bytes: Long): Long = {
    thread = Thread.currentThread()
    isAsking = true
    try acquireMemory(bytes)
    finally isAsking = false
  }

  override def release(bytes: Long): Unit = freeMemory(bytes)

  def releaseAll(): Unit = freeMemory(getUsed)

  /**
   * Only between two rows: not while a kernel itself acquires memory, and not from another thread
   * of the task (such as Python's writer), because a kernel may be reading.
   */
  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if (isAsking || (thread ne Thread.currentThread())) 0L
    else {
      val before = getUsed
      while (before - getUsed < size && giveUp()) ()
      before - getUsed
    }
}

object TaskMemory {

  /**
   * Runs with the memory of an operator. If memory is refused, columns are spilled; with
   * `forceSpill`, after a few rows. All memory is released when the task ends. Before, `atEnd`
   * receives the operator's peak bytes and its spilled bytes.
   */
  def paged(context: TaskContext, forceSpill: Boolean)(atEnd: (Long, Long) => Unit): TaskMemory =
    paged(context, new SpillStore(context), forceSpill)(atEnd)

  private[muntin] def paged(context: TaskContext, store: SpillStore, forceSpill: Boolean)(
      atEnd: (Long, Long) => Unit
  ): TaskMemory = {
    val memory = new TaskMemory(context.taskMemoryManager())
    memory.takesFrom(
      if (forceSpill) new Paging(store, rows = 8, least = 64, isForced = true)
      else new Paging(store)
    )
    context.addTaskCompletionListener[Unit] { _ =>
      atEnd(memory.peakBytes, store.spilledBytes)
      try store.close()
      finally memory.releaseAll()
    }
    memory
  }
}
