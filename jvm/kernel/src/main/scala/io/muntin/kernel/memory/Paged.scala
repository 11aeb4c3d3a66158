package io.muntin.kernel.memory

/** A structure that can spill a part of its memory. */
private[kernel] trait Paged {

  /** Returns true if it is read in order: then each spilled page is read back once. */
  private[kernel] def isReadInOrder: Boolean

  /** Returns the bytes that it could release. */
  private[kernel] def spareBytes: Long

  /** Releases about half of its memory. Returns true if it released any. */
  private[kernel] def giveUp(): Boolean
}
