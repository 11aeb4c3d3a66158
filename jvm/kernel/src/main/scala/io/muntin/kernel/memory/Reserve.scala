package io.muntin.kernel.memory

/**
 * Memory that may be set aside beforehand, for bytes that are put together while others wait for
 * memory: at such a time none may be asked for. Where the reserve is too small, `giveUp` frees what
 * has been put together already.
 */
private[kernel] final class Reserve(memory: Memory, giveUp: () => Boolean) extends Memory {
  private var isSet = false
  private var bytes = 0L

  /**
   * Does what asks for memory out of `most` bytes, which the owner has; gives back what is left of
   * them.
   */
  def within(most: Long)(body: => Unit): Unit = {
    isSet = true
    bytes = most
    try body
    finally {
      isSet = false
      memory.release(bytes)
    }
  }

  override def acquire(size: Long): Unit =
    if (!isSet) memory.acquire(size)
    else {
      while (bytes < size && giveUp()) ()
      if (bytes < size) throw new IllegalStateException(s"$size bytes of $bytes set aside")
      bytes -= size
    }

  override def tryAcquire(size: Long): Boolean =
    if (!isSet) memory.tryAcquire(size)
    else {
      val isThere = size <= bytes
      if (isThere) bytes -= size
      isThere
    }

  override def release(size: Long): Unit = if (isSet) bytes += size else memory.release(size)

  override def paging: Option[Paging] = memory.paging
}
