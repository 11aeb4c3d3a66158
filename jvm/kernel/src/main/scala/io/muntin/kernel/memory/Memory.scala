package io.muntin.kernel.memory

/**
 * Where a kernel asks for the bytes of its arrays before it makes them. Spark's task memory manager
 * stands behind it in a query; a refusal is an exception thrown from `acquire`, before anything of
 * the kernel has changed.
 */
trait Memory {
  def acquire(bytes: Long): Unit

  /** Asks for bytes that the caller can do without; whether they were granted. */
  def tryAcquire(bytes: Long): Boolean = {
    acquire(bytes)
    true
  }

  def release(bytes: Long): Unit

  /** How columns of the task go to disk; None where they cannot. */
  def paging: Option[Paging] = None
}

object Memory {

  /** For tests and benchmarks: grants everything, remembers nothing. */
  object Unlimited extends Memory {
    override def acquire(bytes: Long): Unit = ()
    override def release(bytes: Long): Unit = ()
  }
}
