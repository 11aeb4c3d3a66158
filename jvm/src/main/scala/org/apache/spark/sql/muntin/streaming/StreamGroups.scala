package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable

import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.execution.rows.KeyedRows
import org.apache.spark.sql.muntin.expressions.common.RowFormatter
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException

/**
 * Runs one group after the other through a micro-batch: reads its state, adds its new rows, emits
 * results, writes its state. Groups in `warm` are in memory already.
 *
 *     begin(key)              the group's kept rows arrive again; buffered rows below the watermark
 *                             are released
 *     add(row)                a new row is released, or buffered until the watermark passes it
 *     allAdded                released rows are sorted by time
 *     next, until null        released rows go to the kernel, results are emitted; the state is
 *                             written
 *
 * In output mode update a copy of the group then continues to the end of the stream, as if it had
 * ended. Revisions emits its results if they differ from earlier answers.
 *
 * In real-time mode (`isRealTime`) each row goes to the kernel as it arrives:
 *
 *     begin(key)              the row's group; its kept rows arrive again, if it is not in memory
 *     arrive(row)             the row goes to the kernel
 *     nextOfRow, until null   the results of the row, then the results that its time completes
 *
 * To the kernel each row is a micro-batch. The state of a group is written if memory is short,
 * after every 1,024 rows, shortly before the batch ends (`writeOldest`), or when it ends (`flush`).
 */
final class StreamGroups(
    job: StreamJob,
    store: StreamStore,
    batchTime: StreamTime,
    memory: Memory,
    warm: WarmGroups,
    marks: LongColumn,
    dropped: GroupDrops,
    revisionPolicy: Option[RevisionPolicy],
    isRealTime: Boolean
) extends EarlyWrites.Target {
  private val state = warm.state
  state.open(store)
  if (isRealTime) warm.writesBeforeDrop(group => put(group, ofDropped): Unit)
  private val wasDrained = state.totals.isDrained
  private val timers = new Timers(store, store.version)

  /** The time, including the rows of this micro-batch. */
  val time: StreamTime = {
    val before = state.totals.newest
    state.totals.newest = math.max(before, batchTime.newestSeen)
    state.totals.isDrained |= batchTime.isEnd
    batchTime.reached(before, state.totals.newest)
  }

  private val revisions = revisionPolicy.map(new Revisions(job, _))
  private val isEarly = revisionPolicy.exists(_.isEarly)
  // A copy of the current group, for early answers.
  private lazy val preview = warm.group(memory)
  private val retainedState = new StateOutput
  private lazy val noMarks = new LongColumn(memory, nullable = false)

  private val number = job.timeNumber
  private val arrivalNumber = job.arrivalNumber
  private val waitsForGroup = job.arrival.isDefined
  private val retainedForm = warm.retainedForm
  private val bufferedForm = warm.bufferedForm
  // The current group, if it does not stay in memory.
  private lazy val cold = warm.group(memory)
  private val ordering =
    if (job.order.size > 1) Some(RowOrdering.create(job.order, job.input)) else None
  private val released = new ReleasedRows(ordering, bufferedForm)
  private lazy val previewRows = new ReleasedRows(ordering, bufferedForm)
  // The current group's rows for the kernel: `released`, unless its rows arrive sorted.
  private var kernelRows: KernelRows = released
  private val ofCurrent = new StreamGroups.Written
  // The current group may request the memory while it is written.
  private lazy val ofDropped = new StreamGroups.Written
  private lazy val shown = RowFormatter(job.input)

  private var key: UnsafeRow = _
  private var group: StreamGroup = _
  private var boundRaised = false
  private var isWritten = false
  // True while the last results of an expired group are emitted.
  private var isExpiring = false

  /** The newest arrival of the current group's new rows. */
  private var newestAdded = Long.MinValue

  /** If the clock closes windows: the times of the new rows. */
  private val added = mutable.ArrayBuffer.empty[Long]

  /** No later row of any group is below it. */
  private val bound = time.bound.getOrElse(Long.MinValue)

  /** Rows below this time go to the kernel. */
  private val releasedBelow =
    if (job.takesRowsAtBound && bound < Long.MaxValue) bound + 1L else bound

  def totals: StreamTotals = state.totals

  /** A lower bound of the start of later results and of buffered rows; requires stored starts. */
  def beginsBound: Long = math.min(resultsBound, store.leastBegin)

  /** Returns a lower bound of this partition's later results. */
  def resultsBound: Long = time.resultsBound(job.delay.getOrElse(0L))

  /**
   * Returns the groups to visit besides the groups with rows, in the order of their timers; with
   * `isMarked`, also the open groups. A group's visit may depend on the visits before it, so
   * iterate lazily.
   */
  def dueGroups(isMarked: Boolean): Iterator[Array[Byte]] =
    if (time.isEnd) store.groups
    else
      timers.dueTimers(bound, isMarked, time.openedBy)(isLast).iterator.filter(isLast)
        .map(_.group)

  private val keyOfTimer = new UnsafeRow(job.keys.size)

  /** Returns true if the group of a timer has no later timer. */
  private def isLast(timer: Timer): Boolean = {
    keyOfTimer.pointTo(timer.group, timer.group.length)
    val warmGroup = warm.peek(keyOfTimer)
    if (warmGroup != null) warmGroup.timerBatch == timer.batch
    else {
      val head = store.head(timer.group)
      head != null && StreamGroup.timerBatch(head) == timer.batch
    }
  }

  /** Writes the timers, after all groups have been visited. */
  def writeTimers(): Unit = timers.write()

  /** Returns the earliest clock at which an open window opened. Call it after `writeTimers`. */
  def oldestClock: Long = timers.oldestClock(isLast)

  /** Starts the group of this key. */
  def begin(key: UnsafeRow): Unit = {
    this.key = key
    newestAdded = Long.MinValue
    boundRaised = false
    isWritten = false
    isExpiring = false
    released.clear()
    kernelRows = released
    retainedForm.use(key)
    bufferedForm.use(key)
    group = warm.find(key)
    if (group != null) group.kernel.resumeWarm()
    else {
      val id = key.getBytes
      val bytes = store.head(id)
      group = warm.room().getOrElse(cold)
      if (bytes == null) group.start(key, id)
      else {
        group.read(
          key,
          id,
          bytes,
          isClosing = time.closeAfter.isDefined,
          emittedColumns = revisions.map(_.columns)
        )
        group.isOpen = job.isMarked && !group.kernel.isDone
      }
    }
    revisions.foreach(_.begin(group.emitted))
    if (job.isMarked) group.kernel.cutAt(marks)
    time.openedBy.foreach(group.opened.close)
    // In real-time mode only the group's own rows release buffered rows.
    if (!isRealTime) {
      group.buffered.release(math.max(releasedBelow, group.opened.closed), released)
    }
  }

  /**
   * Writes a group of a changed query. `fill` receives the group, without rows, and with the times
   * of `before`, the group of the previous query.
   */
  def adopt(key: UnsafeRow, before: StreamGroup)(fill: StreamGroup => Unit): Unit = {
    this.key = key
    retainedForm.use(key)
    bufferedForm.use(key)
    group = cold
    group.start(key, before.id)
    group.newest = before.newest
    group.first = before.first
    revisions.foreach(_.begin(group.emitted))
    fill(group)
    write()
  }

  /** Adds a new row of the group, which is not late. */
  def add(row: UnsafeRow): Unit = {
    check(row)
    val t = number.of(row)
    if (t < group.opened.closed) dropped.late(row)
    else {
      if (time.closeAfter.isDefined) added += t
      addInTime(t, row)
    }
  }

  /**
   * Adds the group's new rows, which are sorted and begin with the current row of `rows`. The group
   * must be new.
   */
  def addSorted(rows: KeyedRows): Unit = {
    val until = if (time.byArrival) Long.MaxValue else releasedBelow
    kernelRows = new SortedRows(rows, number, until, check, group.buffered.add)
  }

  private def check(row: UnsafeRow): Unit = {
    try group.kernel.check(row)
    catch { case e: InvalidWindowRowException => throw shown.error(job.name, e, row) }
    if (wasDrained) throw afterEnd(row)
  }

  private def addInTime(t: Long, row: UnsafeRow): Unit =
    if (time.byArrival) {
      // Spark does not define the order of the rows of a micro-batch, so they are sorted.
      val arrived = if (waitsForGroup) arrivalNumber.of(row) else t
      if (isInOrder(arrived, row)) {
        newestAdded = math.max(newestAdded, arrived)
        if (waitsForGroup && !group.kernel.keeps(row)) group.buffered.add(t, row)
        else released.add(t, row.copy())
      }
    } else if (t < releasedBelow) released.add(t, row.copy())
    else group.buffered.add(t, row)

  /** With `byArrival`: returns false for a row below the newest time, which is dropped. */
  private def isInOrder(t: Long, row: UnsafeRow): Boolean = {
    val inOrder = t >= math.max(time.orderedFrom, group.newest)
    if (!inOrder) {
      if (time.dropsUnordered) dropped.outOfOrder(row) else throw isOutOfOrder(t, row)
    }
    inOrder
  }

  /** In real-time mode: passes a row of the group to the kernel, unless the row is buffered. */
  def arrive(row: UnsafeRow): Unit =
    if (waitsForGroup) {
      add(row)
      allAdded()
    } else {
      check(row)
      val t = number.of(row)
      if (isInOrder(t, row)) {
        // All rows have had their results.
        if (isExpired(group, t)) restart()
        group.newest = t
        arrive(group, row)
      }
      boundRaised = group.kernel.releaseLast()
    }

  /**
   * In real-time mode: returns the next result of the row that has arrived; null if there is no
   * other.
   */
  def nextOfRow(): InternalRow = if (waitsForGroup) next() else nextUnbuffered()

  private def nextUnbuffered(): InternalRow = {
    var isFound = findNext(group.kernel)
    if (!isFound && !boundRaised) {
      boundRaised = true
      group.kernel.raiseBound(group.newest)
      isFound = findNext(group.kernel)
    }
    if (isFound) group.kernel.result
    else {
      defer()
      null
    }
  }

  /** Completes the group's new rows, after all have been added. */
  def allAdded(): Unit = {
    if (waitsForGroup) {
      group.newest = math.max(group.newest, newestAdded)
      group.buffered.release(math.max(releasedBelow, group.newest), released)
    }
    released.sort()
    if (time.closeAfter.isDefined) {
      added.sortInPlace()
      added.foreach { t =>
        job.lastEnd(t, group.opened.until).foreach(group.opened.open(time.clock, _))
      }
      added.clear()
    }
  }

  /**
   * Returns the group's next result; null if there is no other and the group's state has been
   * written.
   */
  def next(): InternalRow = {
    while (true)
      if (findNext(group.kernel)) {
        val result = group.kernel.result
        val shown = if (revisions.isEmpty) result else revisions.get.last(result)
        if (shown != null) return shown
      } else if (isExpiring) {
        isExpiring = false
        restart()
      } else if (kernelRows.hasNext) {
        if (isExpired(group, kernelRows.nextTime)) expire()
        else {
          group.newest = math.max(group.newest, kernelRows.nextTime)
          arrive(group, kernelRows.next())
        }
      } else if (!boundRaised) {
        raiseBound()
        boundRaised = true
      } else if (!isWritten) {
        if (isRealTime) defer() else write()
        isWritten = true
      } else return revisions.fold[InternalRow](null)(_.next())
    null
  }

  private def raiseBound(): Unit =
    if (time.isEnd) group.kernel.end(math.max(state.totals.newest, group.newest))
    else {
      val ofGroup = math.max(bound, group.opened.closed)
      val reached = if (time.byArrival) math.max(ofGroup, group.newest) else ofGroup
      if (isExpired(group, bound)) expire()
      else if (reached > Long.MinValue) group.kernel.raiseBound(reached)
    }

  /** Returns true if the rows of the group are not in the partition of a row at `t` or later. */
  private def isExpired(group: StreamGroup, t: Long): Boolean =
    job.ttl.isDefined && group.kernel.arrived > 0L && job.ttl.get.isPast(group.newest, t)

  /** Ends the current group's partition: the results that are left follow. */
  private def expire(): Unit = {
    group.kernel.end(group.newest)
    isExpiring = true
  }

  /** Drops the rows of the current group, and begins its next partition. */
  private def restart(): Unit = {
    dropped.expired()
    group.retained.drop()
    group.retained.start(group.id)
    group.first = 0L
    group.kernel.start(key)
  }

  private def findNext(kernel: StreamKernel): Boolean =
    try kernel.next()
    catch {
      case e: InvalidWindowRowException =>
        throw RowFormatter(Nil).error(job.name, e, InternalRow.empty)
    }

  private def arrive(target: StreamGroup, row: UnsafeRow): Unit = {
    try target.kernel.arrive(row)
    catch { case e: InvalidWindowRowException => throw shown.error(job.name, e, row) }
    if ((target eq group) && group.kernel.keeps(row))
      group.retained.add(row, group.kernel)
  }

  /** Leaves the group in memory without writing it, if it may stay there. */
  private def defer(): Unit = {
    if (group.kernel.written < group.kernel.arrived) {
      throw new IllegalStateException(s"${job.title} has no result for a row that has arrived")
    }
    group.unwritten += 1
    val isKept = (group ne cold) && group.unwritten < StreamGroups.MostUnwritten && warm.keep(key)
    if (!isKept) write()
  }

  /** In real-time mode: how many groups may have rows since they were written. */
  override def unwritten: Int = warm.queued

  /** Writes the group that has waited longest for it. */
  override def writeOldest(): Unit = warm.writeFirst(put(_, ofCurrent): Unit)

  /** Writes the groups of a batch in real-time mode that are not written yet. */
  def flush(): Unit = warm.writeAll(put(_, ofCurrent): Unit)

  private def write(): Unit = {
    val isGone = put(group, ofCurrent)
    if (group ne cold) warm.leave(key, isGone)
  }

  /** Writes a group to the state. Returns true if the state holds nothing of the group. */
  private def put(group: StreamGroup, written: StreamGroups.Written): Boolean = {
    import written.{head, saved}
    val id = group.id
    val kernel = group.kernel
    val waiting = group.buffered
    val least = waiting.least
    // If rows advance time only for their own group, its newest time is needed to detect rows out
    // of order. If results are numbered, results of equal times are counted until time advances.
    val from = if (revisions.exists(_.isNumbered)) group.newest + 1L else group.newest
    val isPassed = (!time.byArrival || from <= bound) && group.opened.closed <= bound
    val isDone = kernel.isDone || job.ttl.isDefined && kernel.arrived == 0L
    group.opened.pass(if (isDone && least == Long.MaxValue) Long.MaxValue else bound)
    val isGone = time.isEnd || (least == Long.MaxValue && isDone && isPassed)
    if (!isGone) group.retained.dropUnneeded(kernel)
    val rows = if (isGone) 0L else waiting.count + group.retained.count
    if (isGone) {
      group.forgetTimer()
      group.retained.drop()
      revisions.foreach(_.end())
      if (!group.isNew) store.removeHead(id)
    } else {
      setTimer(group, least)
      head.clear()
      head.writeInt(StreamStore.LayoutVersion)
      head.writeLong(group.timer)
      head.writeLong(group.timerBatch)
      head.writeLong(group.newest)
      head.writeLong(rows)
      // The state has dropped rows before `first`, regardless of the kernel's floor.
      group.first = math.max(group.first, kernel.floor)
      head.writeLong(group.first)
      head.writeLong(kernel.written)
      saved.clear()
      kernel.save(saved)
      head.writeInt(saved.length)
      head.write(saved.bytes, 0, saved.length)
      group.retained.write(head)
      if (time.closeAfter.isDefined) group.opened.write(head)
      revisions.foreach { r =>
        if (isEarly) previewEnd(saved)
        r.end()
        group.emitted.write(head)
      }
      waiting.write(head)
      store.putHead(id, head.bytes, head.length)
      kernel.forget(group.first)
    }
    val headBytes = if (isGone) 0L else StreamStore.headBytes(id, head.length)
    if (store.keepsBegins) {
      val begin = if (isGone) Long.MaxValue else kernel.begin
      if (begin != group.begin) {
        if (group.begin != Long.MaxValue) store.removeBegin(group.begin, id)
        if (begin != Long.MaxValue) store.putBegin(begin, id)
        group.begin = begin
      }
    }
    totals.rows += rows - group.rows
    totals.bytes += headBytes - group.headBytes
    totals.groups += (if (isGone) 0L else 1L) - (if (group.isNew) 0L else 1L)
    group.rows = rows
    group.headBytes = headBytes
    group.isNew = false
    group.unwritten = 0
    isGone
  }

  /**
   * A group keeps a timer that is earlier than necessary: the visit then sets another. So if each
   * row moves the timer, the group has one timer at a time, and not one for each micro-batch.
   */
  private def setTimer(group: StreamGroup, leastWaiting: Long): Unit = {
    val isOpen = job.isMarked && !group.kernel.isDone
    val wake = nextTimer(group, leastWaiting, isOpen)
    val openedAt = group.opened.oldest
    val isKept = group.timer > bound && group.timer <= wake && isOpen == group.isOpen &&
      openedAt == group.openedAt
    if (!isKept) {
      group.timer = wake
      group.timerBatch =
        if (wake == Long.MaxValue) Timers.NoBatch
        else timers.set(wake, group.id, isOpen, openedAt)
      group.isOpen = isOpen
      group.openedAt = openedAt
    }
  }

  /**
   * Emits what a copy of the group would emit at the end of the stream, after its state is `saved`.
   */
  private def previewEnd(saved: StateOutput): Unit = {
    retainedState.clear()
    group.retained.write(retainedState)
    preview.resumeKernel(
      key,
      group.id,
      new StateInput(saved.copy),
      group.first,
      group.kernel.written,
      new StateInput(retainedState.copy)
    )
    if (job.isMarked) preview.kernel.cutAt(noMarks)
    preview.newest = group.newest
    previewRows.clear()
    group.buffered.show(previewRows)
    previewRows.sort()
    var newest = math.max(state.totals.newest, group.newest)
    emitEarly()
    while (previewRows.hasNext) {
      if (isExpired(preview, previewRows.nextTime)) {
        preview.kernel.end(preview.newest)
        emitEarly()
        preview.kernel.start(key)
      }
      preview.newest = previewRows.nextTime
      newest = math.max(newest, preview.newest)
      arrive(preview, previewRows.next())
      emitEarly()
    }
    preview.kernel.end(newest)
    emitEarly()
  }

  private def emitEarly(): Unit =
    while (findNext(preview.kernel)) revisions.foreach(_.early(preview.kernel.result))

  // Not before the next bound: only a later bound completes what this bound did not. If only the
  // group's own rows advance its time, its next row causes the visit.
  private def nextTimer(group: StreamGroup, leastWaiting: Long, isOpen: Boolean): Long =
    if (time.byGroup) Long.MaxValue else nextVisit(group, leastWaiting, isOpen)

  private def nextVisit(group: StreamGroup, leastWaiting: Long, isOpen: Boolean): Long = {
    val kernel = group.kernel
    val ofKernel = if (time.byArrival && kernel.isDone) group.newest else kernel.wakeUpTime
    val waiting =
      if (leastWaiting == Long.MaxValue || job.takesRowsAtBound) leastWaiting
      else leastWaiting + 1L
    val last =
      if (isOpen || group.opened.oldest.isDefined) StreamStore.NoTime else Long.MaxValue
    val closed = if (group.opened.closed > bound) group.opened.closed else Long.MaxValue
    val expiry =
      if (kernel.arrived == 0L) Long.MaxValue
      else job.ttl.fold(Long.MaxValue)(_.firstPast(group.newest))
    val wake = math.min(math.min(last, closed), math.min(math.min(ofKernel, expiry), waiting))
    if (wake >= StreamStore.NoTime) wake else math.max(wake, bound + 1L)
  }

  private def isOutOfOrder(t: Long, row: UnsafeRow): Throwable = {
    val condition =
      if (time.byGroup) "MUNTIN_ROW_OUT_OF_ORDER_IN_GROUP"
      else if (isOfStream) "MUNTIN_ROW_OUT_OF_ORDER"
      else "MUNTIN_UPSTREAM_RESULT_OUT_OF_ORDER"
    new MuntinRuntimeException(
      condition,
      "function" -> job.name,
      "time" -> timeText(t),
      "newest" -> timeText(math.max(time.orderedFrom, group.newest)),
      "row" -> shown(row)
    )
  }

  // Else time is per group: the rows are results of upstream windows.
  private def isOfStream: Boolean = time.orderedFrom > Long.MinValue

  private def afterEnd(row: UnsafeRow): Throwable =
    new MuntinRuntimeException(
      "MUNTIN_ROW_AFTER_DRAINED_STREAM",
      "function" -> job.name,
      "row" -> shown(row)
    )

  private def timeText(t: Long): String = {
    val value = Literal(number.value(t), job.time.dataType)
    ToPrettyString(value, Some(shown.timeZone)).eval().toString
  }
}

private object StreamGroups {

  /**
   * The number of rows after which a group is written in real-time mode, so that it can drop rows.
   */
  val MostUnwritten = 1024

  /** The head of a group while it is written, and what its kernel has saved in it. */
  final class Written {
    val head = new StateOutput
    val saved = new StateOutput
  }
}
