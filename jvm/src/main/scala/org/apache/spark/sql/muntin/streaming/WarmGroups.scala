package org.apache.spark.sql.muntin.streaming

import java.util.{ArrayDeque => JavaArrayDeque, HashMap => JavaHashMap}

import scala.jdk.CollectionConverters._

import io.muntin.kernel.memory.{Memory, PageStore, Paging}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{SpillStore, TaskMemory}
import org.apache.spark.unsafe.types.ByteArray

/**
 * Keeps groups of a partition in memory from one micro-batch to the next, with kernels that hold
 * their rows. Their state is written as for other groups, but is not read: a task that fails, or
 * runs elsewhere, starts without warm groups and has the same results.
 *
 *     a task begins            begin: the groups become memory of the task
 *     a group has rows         find, or room for a new group, or neither: it is read from the state
 *     its results are emitted  leave: the group stays, if there is memory for it
 *     the task has committed   end; then WarmStore keeps the groups until the next task
 *
 * While a task runs, groups take execution memory of the task, as its other operators do. If the
 * task is short of memory, groups other than the current one are dropped before anything is
 * spilled. The current group spills as in a batch. A group that is partly on disk does not stay.
 *
 * New groups stay until all groups in this process take `most` bytes, and only while memory is
 * free. Older groups have precedence, since groups that take turns would evict each other.
 *
 * In real-time mode the rows of a group arrive one by one. A group that has had rows since it was
 * written stays, too (`keep`). It is in a queue to be written, and is written before it is dropped.
 * If a new group has no room, half of the others are dropped.
 */
final class WarmGroups(job: StreamJob, most: Long) {
  import WarmGroups._

  val state = new StreamState
  val retainedForm = new StoredRows(job, job.retainedColumns)
  // Buffered rows are written with their times, as numbers.
  val bufferedForm =
    new StoredRows(job, job.nonKeyColumns.filterNot(_.exprId == job.time.exprId))
  private val kernels = job.kernels()
  private val groups = new JavaHashMap[UnsafeRow, WarmGroup]
  // In real-time mode: the groups to be written, and groups that have been written meanwhile.
  private val queue = new JavaArrayDeque[WarmGroup]
  private var batch = 0L
  private var cleaned = 0L
  private var taken = 0L
  // The task's memory, while a task runs.
  private var memory: TaskMemory = _
  private var disk: SpillStore = _
  private var currentGroup: WarmGroup = _
  private var writer: Option[StreamGroup => Unit] = None
  private var isDropping = false

  /** Returns true before the first micro-batch. */
  def isNew: Boolean = batch == 0L

  /** Returns how many bytes the groups take. */
  def bytes: Long = taken

  /** Returns an empty group, to be started or to be read from the state. */
  def group(memory: Memory): StreamGroup = new StreamGroup(
    kernels.make(memory),
    if (job.scatters) new ScatteredRows(state, retainedForm)
    else new RetainedRows(state, retainedForm),
    new BufferedRows(state, bufferedForm)
  )

  /** Begins a micro-batch of a task: the groups become memory of the task, as many as fit. */
  def begin(memory: TaskMemory, disk: SpillStore): Unit = {
    batch += 1L
    this.disk = disk
    this.memory = memory
    while (taken > 0L && (taken > WarmStore.free || !memory.tryAcquire(taken))) forgetHalf()
    WarmStore.use(taken)
    memory.dropsFirst(() => drop(), () => Option(currentGroup).flatMap(_.paging))
  }

  /** Ends the task's use of the groups, and returns their memory. */
  def end(): Unit = {
    memory.dropsFirst(() => false, () => None)
    WarmStore.use(-taken)
    memory.release(taken)
    currentGroup = null
    while (!queue.isEmpty) queue.poll().isQueued = false
    writer = None
    memory = null
    disk = null
  }

  /** In real-time mode: sets what writes a group that has rows since it was written. */
  def writesBeforeDrop(write: StreamGroup => Unit): Unit = writer = Some(write)

  /** Returns the group with this key, if it has stayed; else null. */
  def find(key: UnsafeRow): StreamGroup = {
    currentGroup = groups.get(key)
    if (currentGroup == null) null else currentGroup.group
  }

  /** Like `find`, but only for reading the group. */
  def peek(key: UnsafeRow): StreamGroup = {
    val found = groups.get(key)
    if (found == null) null else found.group
  }

  /** Returns a new group that may stay, if there is room. */
  def room(): Option[StreamGroup] =
    if (hasRoom || writer.isDefined && drop() && hasRoom) {
      currentGroup = new WarmGroup
      Some(currentGroup.group)
    } else None

  private def hasRoom: Boolean =
    WarmStore.free >= LeastFree && (WarmStore.taken < most || makeRoom())

  // Frees room: takes it from blocks that Spark has dropped, and from groups that have been idle
  // for long.
  private def makeRoom(): Boolean = cleaned != batch && {
    cleaned = batch
    if (batch % IdleBatches == 0L) {
      groups.values.removeIf { g =>
        val idle = batch - g.visited > IdleBatches
        if (idle) g.releaseMemory()
        idle
      }: Unit
    }
    WarmStore.bytes < most
  }

  /**
   * Completes the micro-batch of the current group, which `find` or `room` returned. `isGone`: the
   * state holds nothing of the group.
   */
  def leave(key: UnsafeRow, isGone: Boolean): Unit = {
    val warm = currentGroup
    if (isGone || warm.isOnDisk || !warm.counts()) {
      groups.remove(key): Unit
      warm.releaseMemory()
    } else if (warm.visited == 0L) groups.put(key.copy(), warm): Unit
    warm.visited = batch
    currentGroup = null
  }

  /** Keeps the current group, which is not written yet. Returns false if it must be written now. */
  def keep(key: UnsafeRow): Boolean = {
    val warm = currentGroup
    val stays = !warm.isOnDisk && (warm.isCounted || warm.counts())
    if (stays) {
      if (warm.visited == 0L) groups.put(key.copy(), warm): Unit
      warm.visited = batch
      currentGroup = null
      if (!warm.isQueued) {
        warm.isQueued = true
        queue.add(warm): Unit
      }
    }
    stays
  }

  /** Returns how many groups are in the queue. */
  def queued: Int = queue.size

  /** Removes the first group from the queue that is not written yet, and writes it. */
  def writeFirst(write: StreamGroup => Unit): Unit = {
    var isWritten = false
    while (!isWritten && !queue.isEmpty) {
      val first = queue.poll()
      first.isQueued = false
      isWritten = first.group.unwritten > 0
      if (isWritten) this.write(first, write)
    }
  }

  /** Writes the groups that are not written yet, in the order of their keys. */
  def writeAll(write: StreamGroup => Unit): Unit =
    queue.iterator.asScala.filter(_.group.unwritten > 0).toVector
      .sortWith((a, b) => ByteArray.compareBinary(a.group.id, b.group.id) < 0)
      // Another group may have requested its memory.
      .foreach(warm => if (warm.group.unwritten > 0) this.write(warm, write))

  // The group requests memory as the current group: it is not dropped while it is written.
  private def write(warm: WarmGroup, write: StreamGroup => Unit): Unit = {
    currentGroup = warm
    write(warm.group)
    currentGroup = null
    if (warm.isOnDisk) {
      groups.values.remove(warm): Unit
      warm.releaseMemory()
    }
  }

  /**
   * Drops half of the groups, in any order and without the current group. Returns true if it
   * dropped a group.
   */
  private def drop(): Boolean = !isDropping && {
    val before = groups.size
    var left = (before + 1) / 2
    isDropping = true
    try
      groups.values.removeIf { g =>
        val isDropped = left > 0 && (g ne currentGroup)
        if (isDropped) {
          left -= 1
          if (g.group.unwritten > 0) writer.foreach(_(g.group))
          g.releaseMemory()
        }
        isDropped
      }: Unit
    finally isDropping = false
    // The queue must not hold the memory of dropped groups.
    queue.removeIf { g =>
      val isWritten = g.group.unwritten == 0
      if (isWritten) g.isQueued = false
      isWritten
    }: Unit
    groups.size < before
  }

  /** Drops half of the groups while they are not memory of a task. */
  private[streaming] def forgetHalf(): Unit = {
    var left = (groups.size + 1) / 2
    groups.values.removeIf { g =>
      val isDropped = left > 0
      if (isDropped) {
        left -= 1
        taken -= g.bytes
      }
      isDropped
    }: Unit
  }

  /** A group that stays. Its kernel takes memory of the task that currently runs it. */
  private final class WarmGroup extends Memory with PageStore {
    private var ofKernel = 0L
    private var ofBuffers = 0L
    private var countedRows = -1L
    private var pages = 0L

    /** The last micro-batch that had rows of the group, or results. */
    var visited = 0L

    var isQueued = false

    override val paging: Option[Paging] = Some(new Paging(this))

    val group: StreamGroup = WarmGroups.this.group(this)

    def bytes: Long = ofKernel + ofBuffers

    private def count(more: Long): Unit = {
      taken += more
      WarmStore.use(more)
    }

    override def acquire(more: Long): Unit = {
      memory.acquire(more)
      countAcquired(more)
    }

    override def tryAcquire(more: Long): Boolean = {
      val isGranted = memory.tryAcquire(more)
      if (isGranted) countAcquired(more)
      isGranted
    }

    private def countAcquired(more: Long): Unit = {
      ofKernel += more
      count(more)
    }

    override def release(less: Long): Unit = {
      memory.release(less)
      ofKernel -= less
      count(-less)
    }

    private def ofRows: Long = group.retained.memory + group.buffered.memory

    /** In real-time mode, without revisions: returns true if the memory of all rows is reserved. */
    def isCounted: Boolean = ofRows == countedRows

    /**
     * Reserves the memory of the kept and buffered rows if it is free, without dropping anything
     * for it. Returns true if it succeeds.
     */
    def counts(): Boolean = {
      val more = OfAGroup + ofRows + group.emitted.memory - ofBuffers
      val isGranted = more <= 0L || (more <= WarmStore.free && memory.tryAcquire(more))
      if (isGranted) {
        if (more < 0L) memory.release(-more)
        ofBuffers += more
        count(more)
        countedRows = ofRows
      }
      isGranted
    }

    def releaseMemory(): Unit = {
      memory.release(bytes)
      count(-bytes)
      ofKernel = 0L
      ofBuffers = 0L
      countedRows = -1L
    }

    /** Returns true if a part of the group is on disk, where it stays until the task ends. */
    def isOnDisk: Boolean = pages > 0L

    override def write(bytes: Array[Byte], inMemory: Long): Long = {
      pages += 1L
      disk.write(bytes, inMemory)
    }

    override def read(place: Long): Array[Byte] = disk.read(place)

    override def free(place: Long): Unit = {
      pages -= 1L
      disk.free(place)
    }
  }
}

object WarmGroups {

  /** Roughly how many bytes a group takes besides the columns and rings of its kernel. */
  private val OfAGroup = 8L << 10

  /** A group stays only if at least this much memory is free. */
  private val LeastFree = 1L << 20

  private val IdleBatches = 8L
}
