package org.apache.spark.sql.muntin.streaming

import java.lang.ref.SoftReference
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.muntin.spark.StorageMemory

/**
 * Where the groups of a partition are between the tasks of two micro-batches: as one block in
 * Spark's memory store, as a cached table's partition is.
 *
 * Execution memory belongs to tasks, and Spark frees what a task has not given back. A task of our
 * own making that held memory in between would lessen the share of all other tasks, and Spark could
 * not ask it for memory. Storage memory needs no task, Spark shows it as storage, and Spark drops
 * blocks when memory is wanted: for other blocks, and for tasks, as far as storage takes more than
 * spark.memory.storageFraction protects. If a group's block was dropped, the group is read from the
 * state.
 *
 * A task that begins takes the block out, and the groups become its own memory (WarmGroups). A task
 * that has committed puts back as many groups as leave the same memory free once more: they push
 * out no block. Where other blocks have taken the rest of the memory, protected or not, fewer
 * groups are put back with each micro-batch.
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
  private final class LeftGroups(val version: Long, val groups: SoftReference[WarmGroups])

  private final case class Put(at: Long, bytes: Long)

  private val used = new AtomicLong
  private val puts = new ConcurrentHashMap[StatePartition, Put]
  private val LeftMillis = 10L * 60L * 1000L

  /** The memory store reserves so many bytes before it knows how large a block is. */
  private val Unrolled = 1L << 20

  /** Without a setting, a quarter of this process's heap: an executor's, not the driver's. */
  def most(setting: Option[Long]): Long = setting.getOrElse(Runtime.getRuntime.maxMemory / 4)

  /** How many bytes groups take in this process. */
  def bytes: Long = {
    forget((place, _) => !StorageMemory.holds(place.inMemory))
    used.get
  }

  /** The same, counting blocks that Spark has dropped since `bytes` was last called. */
  private[streaming] def taken: Long = used.get

  private[streaming] def use(more: Long): Unit = used.addAndGet(more): Unit

  /** How much of Spark's memory is free. */
  private[streaming] def free: Long = StorageMemory.free

  /** The groups that were left at this version of the state, or else none. */
  def take(place: StatePartition, version: Long, job: StreamJob, most: Long): WarmGroups = {
    val found = StorageMemory.get(place.inMemory).collect { case left: LeftGroups => left }
    remove(place)
    found.filter(_.version == version).flatMap(left => Option(left.groups.get)).getOrElse(
      new WarmGroups(job, most)
    )
  }

  /**
   * The state was committed at `version`: a task that begins with this version may take the groups.
   */
  def leave(place: StatePartition, version: Long, groups: WarmGroups): Unit = {
    val now = System.currentTimeMillis
    remove(place)
    while (groups.bytes > 0L && free < 2L * groups.bytes + Unrolled) groups.forgetHalf()
    val bytes = groups.bytes
    if (bytes > 0L) {
      val left = new LeftGroups(version, new SoftReference(groups))
      if (StorageMemory.put(place.inMemory, left, bytes)) {
        if (puts.putIfAbsent(place, Put(now, bytes)) == null) use(bytes)
      }
    }
    // The groups of queries that have ended, and of partitions that run elsewhere by now.
    forget { (place, put) =>
      val isOld = now - put.at > LeftMillis
      if (isOld) StorageMemory.remove(place.inMemory)
      isOld
    }
  }

  private def remove(place: StatePartition): Unit = {
    StorageMemory.remove(place.inMemory)
    val put = puts.remove(place)
    if (put != null) use(-put.bytes)
  }

  private def forget(isGone: (StatePartition, Put) => Boolean): Unit =
    puts.forEach { (place, put) =>
      if (isGone(place, put) && puts.remove(place, put)) use(-put.bytes)
    }
}
