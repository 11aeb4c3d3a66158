package io.muntin.kernel

/**
 * Frozen partials by consecutive indices: new ones at the end, old ones dropped in front. Each one's
 * bytes are asked of `memory` before it is kept, and given back when it is dropped.
 *
 * Guarded by AlignedBlocksSuite.
 */
private[kernel] final class FrozenRing[F <: AnyRef](memory: Memory, partials: Partials[F]) {
  private var ring = new Array[AnyRef](FrozenRing.InitialCapacity)
  private var mask = ring.length - 1
  private var first = 0L
  private var last = 0L

  memory.acquire(8L * ring.length)

  /** The index of the oldest that is kept. */
  def from: Long = first

  /** The index that the next append takes. */
  def until: Long = last

  def apply(index: Long): F = ring(index.toInt & mask).asInstanceOf[F]

  def append(frozen: F): Unit = {
    if (last - first > mask) grow()
    memory.acquire(partials.sizeOf(frozen))
    ring(last.toInt & mask) = frozen
    last += 1
  }

  /** Drops what lies before `index`; where nothing lies at it, the next append takes it. */
  def dropBefore(index: Long): Unit = {
    while (first < last && first < index) {
      val slot = first.toInt & mask
      val size = partials.sizeOf(apply(first))
      ring(slot) = null
      first += 1
      memory.release(size)
    }
    if (first < index) {
      first = index
      last = index
    }
  }

  /** Drops all; the next append takes index 0. */
  def clear(): Unit = {
    dropBefore(last)
    first = 0L
    last = 0L
  }

  private def grow(): Unit = {
    memory.acquire(16L * ring.length)
    val next = new Array[AnyRef](2 * ring.length)
    new Column.Turn(first, last, mask, next.length - 1)(ring, next)
    memory.release(8L * ring.length)
    ring = next
    mask = next.length - 1
  }

  def close(): Unit = {
    clear()
    memory.release(8L * ring.length)
  }
}

private object FrozenRing {
  private val InitialCapacity = 16
}
