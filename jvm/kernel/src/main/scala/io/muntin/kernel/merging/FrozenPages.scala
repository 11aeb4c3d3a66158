package io.muntin.kernel.merging

import java.io.{ByteArrayInputStream, DataInputStream}

import io.muntin.kernel.memory.{ObjectPages, PageCache, SteppedMemory}

/**
 * Frozen partials by numbers, of which those go to disk that nobody has looked at for a while, each for itself.
 *
 * Guarded by AlignedTreeSuite.
 */
private[kernel] final class FrozenPages[F <: AnyRef](memory: SteppedMemory, partials: Partials[F])
    extends ObjectPages[F](memory, FrozenPages.Fewest, areWritten = false) {

  override private[kernel] def isReadInOrder: Boolean = false

  override protected def write(partial: F): Array[Byte] =
    PageCache.written(64)(partials.write(partial, _))

  override protected def read(bytes: Array[Byte]): F =
    partials.read(new DataInputStream(new ByteArrayInputStream(bytes)))

  /** Gives all memory back, of no partial. */
  def close(): Unit = closePages()
}

private object FrozenPages {

  /** So many stay in memory. */
  private val Fewest = 8
}
