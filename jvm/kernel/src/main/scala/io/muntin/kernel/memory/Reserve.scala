package io.muntin.kernel.memory

/**
 * Memory reserved in advance, for a serialization that runs while other structures wait for memory
 * and that therefore cannot request any. If the reserve is too small, `giveUp` frees the bytes
 * serialized so far.
 */
private[kernel] final class Reserve(memory: Memory, giveUp: () => Boolean) extends Memory {
  private var isSet = false
  private var bytes = 0L

  /**
   * Runs `body`, whose requests are served from `most` bytes that the owner has. Releases the
   * remaining bytes.
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
      if (bytes < size) throw new IllegalStateException(s"$size bytes requested, $bytes reserved")
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
