package io.muntin.kernel

/** What several frames over the same rows share. */
trait AcrossFrames {

  /** A partition begins with the row at `first`, for all of them. */
  def startPartition(first: Long): Unit

  def close(): Unit
}
