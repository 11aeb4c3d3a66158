package io.muntin.kernel

/** State that several frames over the same rows share. */
trait AcrossFrames {

  /** Starts a partition, for all frames; its first row is at `first`. */
  def startPartition(first: Long): Unit

  def close(): Unit
}
