package io.muntin.kernel.memory

/** What may put some of its memory on disk. */
private[kernel] trait Paged {

  /** Whether it is read in order, so that each page that has gone to disk comes back once. */
  private[kernel] def isReadInOrder: Boolean

  /** The bytes that it could give up. */
  private[kernel] def spareBytes: Long

  /** Gives about half of its memory back; whether it could. */
  private[kernel] def giveUp(): Boolean
}
