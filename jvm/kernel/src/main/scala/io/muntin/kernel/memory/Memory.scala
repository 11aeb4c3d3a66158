package io.muntin.kernel.memory

/**
 * A kernel reserves the bytes of its arrays here before it allocates them. In a query, Spark's task
 * memory manager implements it. If memory is refused, `acquire` throws before the kernel has
 * changed anything.
 */
trait Memory {
  def acquire(bytes: Long): Unit

  /** Requests optional memory. Returns true if it was granted. */
  def tryAcquire(bytes: Long): Boolean = {
    acquire(bytes)
    true
  }

  def release(bytes: Long): Unit

  /** How the task's columns are spilled; None if they cannot be. */
  def paging: Option[Paging] = None
}

object Memory {

  /** For tests and benchmarks: grants all memory, without accounting. */
  object Unlimited extends Memory {
    override def acquire(bytes: Long): Unit = ()
    override def release(bytes: Long): Unit = ()
  }
}
