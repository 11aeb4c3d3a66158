package org.apache.spark.sql.muntin.streaming

import java.lang.ref.SoftReference
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.muntin.spark.StorageMemory

/**
 * Where the groups of partitions are between the tasks of two micro-batches: each partition's
 * groups are a block in Spark's memory store, as a cached table's are.
 *
 * Execution memory belongs to tasks, and Spark frees what a task has not given back; a task of our
 * own making that held memory in between would lessen the share of all others, and nobody could ask
 * that task for it. Storage memory is there without a task, others see it, and Spark drops blocks
 * when memory is wanted: for other blocks, and for tasks as far as storage takes more than
 * spark.memory.storageFraction protects. A group whose block was dropped is only read from the
 * state again.
 *
 * A task that begins takes the block out and has the groups as its own memory (WarmGroups). A task
 * that has committed puts in as many groups as leave as much again free: no block of others goes
 * for them, and where others have taken the rest of the memory, protected or not, groups give up
 * theirs with each micro-batch.
 *
 * Beyond that the JVM may clear groups when the heap is short.
 */
object WarmStore {

  /** The partition of an operator of one run of a query. */
  final case class Place(run: UUID, operator: Long, partition: Int) {
    private[streaming] def inMemory: StorageMemory.Place =
      StorageMemory.Place(s"muntin-$run", s"$operator-$partition")
  }

  /** What is in a block. */
  private final class Left(val version: Long, val groups: SoftReference[WarmGroups])

  private final case class Put(at: Long, bytes: Long)

  private val used = new AtomicLong
  private val puts = new ConcurrentHashMap[Place, Put]
  private val LeftMillis = 10L * 60L * 1000L

  /** The memory store reserves so much before it knows how large a block is. */
  private val Unrolled = 1L << 20

  /**
   * A setting that says nothing of it is that of the process that asks: an executor's, not the
   * driver's.
   */
  def most(setting: Option[Long]): Long = setting.getOrElse(Runtime.getRuntime.maxMemory / 4)

  /** What groups take in this process, in bytes. */
  def bytes: Long = {
    forget((place, _) => !StorageMemory.holds(place.inMemory))
    used.get
  }

  /** The same, with blocks that Spark has dropped since somebody asked for `bytes`. */
  private[streaming] def taken: Long = used.get

  private[streaming] def use(more: Long): Unit = used.addAndGet(more): Unit

  /** What of Spark's memory nobody has. */
  private[streaming] def free: Long = StorageMemory.free

  /** What was left at this version of the state, or else nothing. */
  def take(place: Place, version: Long, job: StreamJob, most: Long): WarmGroups = {
    val found = StorageMemory.get(place.inMemory).collect { case left: Left => left }
    remove(place)
    found.filter(_.version == version).flatMap(left => Option(left.groups.get)).getOrElse(
      new WarmGroups(job, most)
    )
  }

  /** The state was committed at `version`: a task that begins there may take the groups. */
  def leave(place: Place, version: Long, groups: WarmGroups): Unit = {
    val now = System.currentTimeMillis
    remove(place)
    while (groups.bytes > 0L && free < 2L * groups.bytes + Unrolled) groups.forgetHalf()
    val bytes = groups.bytes
    if (bytes > 0L) {
      val left = new Left(version, new SoftReference(groups))
      if (StorageMemory.put(place.inMemory, left, bytes)) {
        if (puts.putIfAbsent(place, Put(now, bytes)) == null) use(bytes)
      }
    }
    // Of queries that have ended, or partitions that have gone elsewhere.
    forget { (place, put) =>
      val isOld = now - put.at > LeftMillis
      if (isOld) StorageMemory.remove(place.inMemory)
      isOld
    }
  }

  private def remove(place: Place): Unit = {
    StorageMemory.remove(place.inMemory)
    val put = puts.remove(place)
    if (put != null) use(-put.bytes)
  }

  private def forget(isGone: (Place, Put) => Boolean): Unit =
    puts.forEach { (place, put) =>
      if (isGone(place, put) && puts.remove(place, put)) use(-put.bytes)
    }
}
