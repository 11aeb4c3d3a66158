package io.muntin.kernel.merging

import io.muntin.kernel.memory.Memory

/**
 * For each child of one node, the frozen partial of the child and its younger siblings. Computed
 * from the last child backwards, while the node is the oldest in the frame.
 *
 * Guarded by AlignedBlocksSuite.
 */
private[kernel] final class FrozenSuffixes[F <: AnyRef](
    memory: Memory,
    partials: Partials[F],
    fanOut: Int
) {
  private var suffixes: Array[AnyRef] = _
  private var node = -1L
  // The first child with a suffix, counted within the node.
  private var made = fanOut

  /**
   * Returns the partial of `child` and its younger siblings; `takeUp` makes the partial of a single
   * child current.
   */
  def apply(child: Long, takeUp: Long => Unit): F = {
    if (suffixes == null) {
      memory.acquire(8L * fanOut)
      suffixes = new Array[AnyRef](fanOut)
    }
    val parent = child / fanOut
    if (parent != node) {
      clear()
      node = parent
    }
    val neededSuffix = (child - parent * fanOut).toInt
    while (made > neededSuffix) {
      val next = made - 1
      takeUp(parent * fanOut + next)
      if (made < fanOut) partials.merge(at(made))
      val frozen = partials.freeze()
      memory.acquire(partials.sizeOf(frozen))
      suffixes(next) = frozen
      made = next
    }
    at(neededSuffix)
  }

  /** Forgets the node if it ends before `child`. */
  def dropBefore(child: Long): Unit = if ((node + 1) * fanOut <= child) clear()

  def clear(): Unit = {
    while (made < fanOut) {
      val size = partials.sizeOf(at(made))
      suffixes(made) = null
      made += 1
      memory.release(size)
    }
    node = -1L
  }

  private def at(index: Int): F = suffixes(index).asInstanceOf[F]

  def close(): Unit = {
    clear()
    if (suffixes != null) memory.release(8L * fanOut)
  }
}
