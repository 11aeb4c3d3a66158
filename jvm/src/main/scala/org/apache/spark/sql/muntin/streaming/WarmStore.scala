package org.apache.spark.sql.muntin.streaming

import java.lang.ref.SoftReference
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.muntin.spark.StorageMemory

/**
 * Keeps the groups of a partition between the tasks of two micro-batches: as one block in Spark's
 * memory store, like the partition of a cached table.
 *
 * Execution memory belongs to tasks, and Spark frees memory that a task has not released. A Muntin
 * task that held memory in between would reduce the share of all other tasks, and Spark could not
 * request the memory from it. Storage memory needs no task, and Spark shows it as storage. Spark
 * drops its blocks when it needs memory: for other blocks, and for tasks, if storage takes more
 * than spark.memory.storageFraction protects. If Spark has dropped a group's block, the group is
 * read from the state.
 *
 * A task that begins removes the block, and the groups become its own memory (WarmGroups). A task
 * that has committed puts back only as many groups as leave the same amount of memory free, so they
 * evict no block. If other blocks have taken the rest of the memory, protected or not, each
 * micro-batch puts back fewer groups.
 *
 * The JVM may also clear groups when the heap is short.
 */
object WarmStore {

  /** The partition of a stateful operator in one run of a query. */
  final case class StatePartition(run: UUID, operator: Long, partition: Int) {
    private[streaming] def inMemory: StorageMemory.Place =
      StorageMemory.Place(s"muntin-$run", s"$operator-$partition")
  }

  /** The groups in a block, and the version of the state that they belong to. */
  private final class StoredGroups(val version: Long, val groups: SoftReference[WarmGroups])

  private final case class Put(at: Long, bytes: Long)

  private val used = new AtomicLong
  private val puts = new ConcurrentHashMap[StatePartition, Put]
  private val LeftMillis = 10L * 60L * 1000L

  /** The memory store reserves this many bytes until the size of a block is known. */
  private val Unrolled = 1L << 20

  /**
   * Returns the limit: without a setting, a quarter of this process's heap, which is an executor's,
   * not the driver's.
   */
  def most(setting: Option[Long]): Long = setting.getOrElse(Runtime.getRuntime.maxMemory / 4)

  /** Returns how many bytes groups take in this process. */
  def bytes: Long = {
    forget((place, _) => !StorageMemory.holds(place.inMemory))(_ => ())
    used.get
  }

  /** Like `bytes`, but includes blocks that Spark has dropped since the last call of `bytes`. */
  private[streaming] def taken: Long = used.get

  private[streaming] def use(more: Long): Unit = used.addAndGet(more): Unit

  /** Returns how much of Spark's memory is free. */
  private[streaming] def free: Long = StorageMemory.free

  /** Returns the groups that were left at this version of the state, or an empty set. */
  def take(place: StatePartition, version: Long, job: StreamJob, most: Long): WarmGroups = {
    val found = StorageMemory.get(place.inMemory).collect { case left: StoredGroups => left }
    remove(place)
    found.filter(_.version == version).flatMap(left => Option(left.groups.get)).getOrElse(
      new WarmGroups(job, most)
    )
  }

  /**
   * Stores the groups of a state committed at `version`: a task that begins at this version may
   * take them.
   */
  def leave(place: StatePartition, version: Long, groups: WarmGroups): Unit = {
    val now = System.currentTimeMillis
    remove(place)
    while (groups.bytes > 0L && free < 2L * groups.bytes + Unrolled) groups.forgetHalf()
    val bytes = groups.bytes
    if (bytes > 0L) {
      val left = new StoredGroups(version, new SoftReference(groups))
      if (StorageMemory.put(place.inMemory, left, bytes)) {
        if (puts.putIfAbsent(place, Put(now, bytes)) == null) use(bytes)
      }
    }
    // The groups of ended queries, and of partitions that now run elsewhere.
    forget((_, put) => now - put.at > LeftMillis)(place => StorageMemory.remove(place.inMemory))
  }

  private def remove(place: StatePartition): Unit = {
    StorageMemory.remove(place.inMemory)
    val put = puts.remove(place)
    if (put != null) use(-put.bytes)
  }

  private def forget(isGone: (StatePartition, Put) => Boolean)(
      forgotten: StatePartition => Unit
  ): Unit = puts.forEach { (place, put) =>
    if (isGone(place, put) && puts.remove(place, put)) {
      use(-put.bytes)
      forgotten(place)
    }
  }
}
