package org.apache.spark.sql.muntin.streaming

import java.lang.ref.SoftReference
import java.util.{HashMap => JavaHashMap, UUID}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The groups of a partition that stay in memory from one micro-batch to the next, with kernels that hold
 * their rows: nothing is read of their state, which is written as if they did not stay. It is the state that
 * counts: a task that fails, or runs elsewhere, begins without them and has the same results.
 *
 * Groups stay until `most` bytes are taken in this process; those that came first stay, since groups that take
 * turns would push out each other.
 */
final class WarmGroups(job: StreamJob, most: Long) {
  import WarmGroups._

  val state = new StreamState
  val keptForm = new StoredRows(job, job.kept)
  val waitingForm = new StoredRows(job, job.besidesKeys)
  private val kernels = job.kernels()
  private val groups = new JavaHashMap[UnsafeRow, StreamGroup]
  private var batch = 0L
  private var taken = 0L

  /** A group that is to be read or begun. */
  def group(memory: Memory): StreamGroup = new StreamGroup(
    kernels.make(memory),
    if (job.scatters) new ScatteredRows(state, keptForm.rows)
    else new KeptRows(state, keptForm.rows),
    new WaitingRows(state, waitingForm.rows)
  )

  /** Another micro-batch begins. */
  def begin(): Unit = batch += 1L

  /** The group, if it is here; null if not. */
  def find(key: UnsafeRow): StreamGroup = groups.get(key)

  /** A new group that may stay here, where there is room. */
  def room(): Option[StreamGroup] =
    if (used.get < most || makeRoom()) {
      val memory = new Counted
      val made = group(memory)
      made.kernelMemory = () => memory.bytes
      Some(made)
    } else None

  // Those that have been idle for long.
  private def makeRoom(): Boolean = if (batch % IdleBatches != 0L || cleaned == batch) false
  else {
    cleaned = batch
    groups.values.removeIf { g =>
      val idle = batch - g.visited > IdleBatches
      if (idle) take(-g.counted)
      idle
    }
    used.get < most
  }
  private var cleaned = 0L

  /** The micro-batch is done with the group; `isGone`, nothing is kept of it. */
  def leave(key: UnsafeRow, group: StreamGroup, isGone: Boolean): Unit = {
    if (isGone) {
      groups.remove(key): Unit
      take(-group.counted)
    } else {
      if (group.visited == 0L) groups.put(key.copy(), group): Unit
      val now = OfAGroup + group.memory
      take(now - group.counted)
      group.counted = now
    }
    group.visited = batch
  }

  private def take(bytes: Long): Unit = {
    taken += bytes
    used.addAndGet(bytes): Unit
  }

  /** It is not used again. */
  def drop(): Unit = take(-taken)
}

object WarmGroups {

  /** About what a group takes besides the columns and rings of its kernel. */
  private val OfAGroup = 8L << 10

  private val IdleBatches = 8L

  /** Grants all and counts it; it is used by one task at a time. */
  private final class Counted extends Memory {
    var bytes = 0L
    override def acquire(more: Long): Unit = bytes += more
    override def release(less: Long): Unit = bytes -= less
  }

  /** The partition of an operator of one run of a query. */
  final case class Place(run: UUID, operator: Long, partition: Int)

  private final case class Left(
      version: Long,
      at: Long,
      groups: SoftReference[WarmGroups],
      bytes: Long
  )

  private val used = new AtomicLong

  /** What groups take in this process, in bytes. */
  def bytes: Long = used.get

  private val left = new ConcurrentHashMap[Place, Left]
  private val LeftMillis = 10L * 60L * 1000L

  /** What was left at this version of the state, or else nothing. */
  def take(place: Place, version: Long, job: StreamJob, most: Long): WarmGroups = {
    val found = left.remove(place)
    val groups = if (found == null) null else found.groups.get
    if (groups == null) {
      if (found != null) used.addAndGet(-found.bytes): Unit
      new WarmGroups(job, most)
    } else if (found.version != version) {
      groups.drop()
      new WarmGroups(job, most)
    } else groups
  }

  /** The state was committed at `version`: a task that begins there may take the groups. */
  def leave(place: Place, version: Long, groups: WarmGroups): Unit = {
    val now = System.currentTimeMillis
    left.put(place, Left(version, now, new SoftReference(groups), groups.taken)): Unit
    // Of queries that have ended, or partitions that have gone elsewhere.
    left.entrySet.removeIf { entry =>
      val old = now - entry.getValue.at > LeftMillis
      if (old) used.addAndGet(-entry.getValue.bytes): Unit
      old
    }: Unit
  }
}
