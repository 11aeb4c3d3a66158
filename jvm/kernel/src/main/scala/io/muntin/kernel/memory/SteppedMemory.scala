package io.muntin.kernel.memory

/**
 * Requests memory for many small objects in steps: most requests and releases do not reach
 * `memory`.
 */
private[kernel] final class SteppedMemory(memory: Memory) extends Memory {
  private var granted = 0L
  private var used = 0L

  override def acquire(bytes: Long): Unit = {
    // Repeated if other requests to this object have used the granted memory meanwhile.
    while (used + bytes > granted) {
      val step = math.max(SteppedMemory.Step, used + bytes - granted)
      memory.acquire(step)
      granted += step
    }
    used += bytes
  }

  override def tryAcquire(bytes: Long): Boolean = {
    var isGranted = true
    while (isGranted && used + bytes > granted) {
      val step = math.max(SteppedMemory.Step, used + bytes - granted)
      isGranted = memory.tryAcquire(step)
      if (isGranted) granted += step
    }
    if (isGranted) used += bytes
    isGranted
  }

  override def release(bytes: Long): Unit = {
    used -= bytes
    val spare = granted - used
    if (used == 0L || spare > 4 * SteppedMemory.Step) {
      memory.release(spare)
      granted -= spare
    }
  }

  /** Releases unused memory. */
  def trim(): Unit = {
    val spare = granted - used
    if (spare > 0L) {
      memory.release(spare)
      granted -= spare
    }
  }

  override def paging: Option[Paging] = memory.paging
}

private object SteppedMemory {
  private val Step = 64L * 1024
}
