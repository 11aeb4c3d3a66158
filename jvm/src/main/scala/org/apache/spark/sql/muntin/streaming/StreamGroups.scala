package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.{Memory, UnfitRow}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.{InvalidRow, ShownRow}

/** How far time has come in a micro-batch, in microseconds. */
final case class StreamTime(
    /** Rows up to and with this time are late; None where no row is. */
    late: Option[Long],

    /** No row will come up to and with this time; None where there is no watermark. */
    watermark: Option[Long],

    /** Each row is answered in the micro-batch that brings it. */
    byArrival: Boolean,

    /** Where rows are answered as they arrive: one whose time is below an earlier one's is left out. */
    dropsUnordered: Boolean
)

/**
 * Brings one group after the other through a micro-batch: reads what is kept of it, adds its new rows, lets
 * results out, writes what has to be kept.
 */
final class StreamGroups(job: StreamJob, store: StreamStore, time: StreamTime, memory: Memory) {
  val totals = new StreamTotals
  totals.read(store.totals)

  /** Rows that were left out since they came out of order. */
  var unordered = 0L

  private val kernel = job.kernel(memory)
  private val timeOrdinal = job.input.indexWhere(_.exprId == job.time.exprId)
  private val others = job.input.filterNot(a => job.keys.exists(_.exprId == a.exprId))
  private val keptForm = new StoredRows(job, job.kept)
  private val waitingForm = new StoredRows(job, others)
  private val kept = new KeptRows(store, keptForm.rows, totals)
  private val waiting = new WaitingRows(store, waitingForm.rows, totals)
  private val released = new ReleasedRows(
    if (job.order.size > 1) Some(RowOrdering.create(job.order, job.input)) else None
  )
  private val head = new StateOutput
  private val saved = new StateOutput
  private lazy val shown = ShownRow(job.input)

  // Of the group that is there now.
  private var group: Array[Byte] = _
  private var isNew = true
  private var timer = Long.MaxValue
  private var newest = Long.MinValue
  private var rowsBefore = 0L
  private var isForeseen = false

  /** No row below it will come for the group. */
  private var bound = Long.MinValue

  private val watermarkBound = time.watermark.fold(Long.MinValue)(_ + 1L)

  /** A group's turn: `key`, its keys; new rows follow, then its results. */
  def begin(key: UnsafeRow): Unit = {
    group = key.getBytes
    isForeseen = false
    released.clear()
    keptForm.use(key)
    waitingForm.use(key)
    val bytes = store.head(group)
    isNew = bytes == null
    if (isNew) {
      timer = Long.MaxValue
      newest = Long.MinValue
      rowsBefore = 0L
      kept.start(group)
      waiting.start(group)
      kernel.start(key)
    } else read(key, new StateInput(bytes))
  }

  private def read(key: UnsafeRow, in: StateInput): Unit = {
    val version = in.readInt()
    if (version != StreamStore.LayoutVersion) {
      throw new IllegalStateException(
        s"state of layout $version; this is ${StreamStore.LayoutVersion}"
      )
    }
    timer = in.readLong()
    newest = in.readLong()
    rowsBefore = in.readLong()
    val first = in.readLong()
    val answered = in.readLong()
    val savedBytes = new Array[Byte](in.readInt())
    in.readFully(savedBytes)
    kernel.resume(key, new StateInput(savedBytes), first, answered)
    kept.read(group, in, (_, row) => kernel.arrive(keptForm.whole(row)))
    kernel.resumed()
    waiting.read(
      group,
      in,
      watermarkBound,
      (t, row) => released.add(t, waitingForm.whole(row).copy())
    )
  }

  /** A new row of the group; late ones do not come here. */
  def add(row: UnsafeRow): Unit = {
    val t = row.getLong(timeOrdinal)
    if (time.byArrival) {
      if (t >= newest) released.add(t, row.copy())
      else if (time.dropsUnordered) unordered += 1L
      else throw outOfOrder(t, row)
    } else if (t < watermarkBound) released.add(t, row.copy())
    else waiting.add(t, waitingForm.reduced(row))
  }

  /** When all new rows have been added, and before the first result is asked for. */
  def settle(): Unit = {
    released.sort()
    bound = watermarkBound
  }

  /** The group's next result; null where there is none, and what has to be kept has been written. */
  def next(): InternalRow = {
    while (true) {
      if (found()) return kernel.result
      if (released.hasNext) {
        newest = math.max(newest, released.nextTime)
        arrive(released.next())
      } else if (!isForeseen) {
        if (time.byArrival) bound = math.max(bound, newest)
        if (bound > Long.MinValue) kernel.foresee(bound)
        isForeseen = true
      } else {
        write()
        return null
      }
    }
    null
  }

  private def found(): Boolean =
    try kernel.next()
    catch { case e: UnfitRow => throw InvalidRow(job.name, e, InternalRow.empty, ShownRow(Nil)) }

  private def arrive(row: UnsafeRow): Unit = {
    try kernel.arrive(row)
    catch { case e: UnfitRow => throw InvalidRow(job.name, e, row, shown) }
    kept.add(keptForm.reduced(row), () => kernel.floor)
  }

  private def write(): Unit = {
    val least = waiting.least
    val isGone = least == Long.MaxValue && kernel.isDone
    val floor = kernel.floor
    val rows = if (isGone) 0L else waiting.count + kernel.arrived - floor
    val wake = if (isGone) Long.MaxValue else nextTimer(least)
    if (isGone) {
      kept.drop()
      if (!isNew) store.removeHead(group)
    } else {
      head.clear()
      head.writeInt(StreamStore.LayoutVersion)
      head.writeLong(wake)
      head.writeLong(newest)
      head.writeLong(rows)
      head.writeLong(floor)
      head.writeLong(kernel.answered)
      saved.clear()
      kernel.save(saved)
      head.writeInt(saved.length)
      head.write(saved.bytes, 0, saved.length)
      kept.write(floor, head)
      waiting.write(head)
      store.putHead(group, head.bytes, head.length)
    }
    if (wake != timer) {
      if (timer != Long.MaxValue) store.removeTimer(timer, group)
      if (wake != Long.MaxValue) store.putTimer(wake, group)
    }
    totals.rows += rows - rowsBefore
    totals.groups += (if (isGone) 0L else 1L) - (if (isNew) 0L else 1L)
  }

  // Not before the next bound: where this one did not do, nothing but a later one will.
  private def nextTimer(leastWaiting: Long): Long = {
    val wake =
      math.min(kernel.wake, if (leastWaiting == Long.MaxValue) leastWaiting else leastWaiting + 1L)
    if (wake == Long.MaxValue) wake else math.max(wake, watermarkBound + 1L)
  }

  private def outOfOrder(t: Long, row: UnsafeRow): Throwable =
    InvalidRow(
      job.name,
      "time",
      s"OUT_OF_ORDER: ${micros(t)} after ${micros(newest)} (in the row ${shown(row)}); rows are answered " +
        "as they arrive: sort the source, or set spark.muntin.stream.outOfOrder=drop, or " +
        "spark.muntin.stream.order=watermark"
    )

  private def micros(t: Long): String =
    ToPrettyString(Literal(t, job.time.dataType), Some(shown.timeZone)).eval().toString
}

/** Rows in the form in which the state holds them: some of their columns, without those of the group. */
private final class StoredRows(job: StreamJob, columns: Seq[Attribute]) {
  val rows = new CompactRows(columns.map(_.dataType))
  private val reduce = UnsafeProjection.create(columns, job.input)
  private val joined = new JoinedRow
  private val restore = UnsafeProjection.create(job.input.map { a =>
    val at = columns.indexWhere(_.exprId == a.exprId)
    val key = job.keys.indexWhere(_.exprId == a.exprId)
    if (at >= 0) BoundReference(at, a.dataType, a.nullable)
    else if (key >= 0) BoundReference(columns.size + key, a.dataType, a.nullable)
    else Literal.default(a.dataType)
  })

  /** The group that rows come from. */
  def use(key: UnsafeRow): Unit = joined.withRight(key): Unit

  def reduced(row: UnsafeRow): UnsafeRow = reduce(row)

  /** The row as it came, as far as it was kept; valid until the next call. */
  def whole(stored: UnsafeRow): UnsafeRow = restore(joined.withLeft(stored))
}
