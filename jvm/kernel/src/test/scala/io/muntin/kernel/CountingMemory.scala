package io.muntin.kernel

import io.muntin.kernel.memory.{Memory, PageStore, Paging}

/** Counts the held bytes; rejects the `refused`-th request, once. */
final class CountingMemory(refused: Int = 0, override val paging: Option[Paging] = None)
    extends Memory {
  private var bytes = 0L
  private var asked = 0

  def held: Long = bytes

  def requests: Int = asked

  override def acquire(size: Long): Unit = {
    require(size >= 0L, s"$size bytes")
    asked += 1
    if (asked == refused) throw new CountingMemory.Refused
    bytes += size
  }

  override def release(size: Long): Unit = {
    require(size >= 0L && size <= bytes, s"$size bytes of $bytes")
    bytes -= size
  }
}

object CountingMemory {

  /** Memory whose columns are evicted to disk at about 50 rows. */
  def forced(store: PageStore): CountingMemory =
    new CountingMemory(0, Some(new Paging(store, rows = 8, least = 64, isForced = true)))

  final class Refused extends RuntimeException("refused")

  /** Runs the body, which the memory may reject, a second time if it does. */
  def retrying(step: => Unit): Unit =
    try step
    catch { case _: Refused => step }
}
