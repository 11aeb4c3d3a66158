package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException

/** A group in a micro-batch, or in memory between two micro-batches. */
final class StreamGroup(
    val kernel: StreamKernel,
    val retained: GroupRows,
    val buffered: BufferedRows
) {
  var id: Array[Byte] = _
  var isNew = true

  /** The time of the next visit, as the state has it. */
  var timer = Long.MaxValue

  /** The micro-batch that set the timer; Timers.NoBatch without a timer. */
  var timerBatch = Timers.NoBatch

  /** True if marks cause a visit of the group, as the state has it. */
  var isOpen = false

  /** The open times of the windows that the clock may close. */
  val opened = new OpenedWindows

  /** The open time of the oldest of these windows, as the state has it. */
  var openedAt: Option[Long] = None

  /** The start of the oldest open window, as the state has it. */
  var begin = Long.MaxValue

  /** In output mode update: the emitted answers that may change. */
  val emitted = new EmittedResults

  /** The time of the newest row that the kernel has. */
  var newest = Long.MinValue

  /** The first row that will arrive again. */
  var first = 0L

  /** In real-time mode: how many rows have arrived since the group was written to the state. */
  var unwritten = 0

  /** How many rows of the group the state holds. */
  var rows = 0L

  /** How many bytes the head takes in the store. */
  var headBytes = 0L

  def start(key: UnsafeRow, id: Array[Byte]): Unit = {
    this.id = id
    isNew = true
    forgetTimer()
    opened.clear()
    begin = Long.MaxValue
    emitted.clear()
    newest = Long.MinValue
    unwritten = 0
    first = 0L
    rows = 0L
    headBytes = 0L
    retained.start(id)
    buffered.start(id)
    kernel.start(key)
  }

  /** Removes the timer: the group needs no other visit. */
  def forgetTimer(): Unit = {
    timer = Long.MaxValue
    timerBatch = Timers.NoBatch
    isOpen = false
    openedAt = None
  }

  def read(
      key: UnsafeRow,
      id: Array[Byte],
      head: Array[Byte],
      isClosing: Boolean,
      emittedColumns: Option[(Int, Int)]
  ): Unit = {
    this.id = id
    isNew = false
    unwritten = 0
    headBytes = StreamStore.headBytes(id, head.length)
    val in = new StateInput(head)
    val version = in.readInt()
    if (version != StreamStore.LayoutVersion) {
      throw new MuntinRuntimeException(
        "MUNTIN_STATE_OF_OTHER_LAYOUT",
        "stored" -> version.toString,
        "current" -> StreamStore.LayoutVersion.toString
      )
    }
    timer = in.readLong()
    timerBatch = in.readLong()
    newest = in.readLong()
    rows = in.readLong()
    first = in.readLong()
    val written = in.readLong()
    val saved = new Array[Byte](in.readInt())
    in.readFully(saved)
    resumeKernel(key, id, new StateInput(saved), first, written, in)
    begin = kernel.begin
    if (isClosing) opened.read(in) else opened.clear()
    openedAt = opened.oldest
    emitted.clear()
    emittedColumns.foreach { case (values, columns) => emitted.read(in, values, columns) }
    buffered.read(id, in)
  }

  /** Resumes the kernel from its `saved` state, and from the rows in `in`. */
  def resumeKernel(
      key: UnsafeRow,
      id: Array[Byte],
      saved: StateInput,
      first: Long,
      written: Long,
      in: StateInput
  ): Unit = {
    kernel.resume(key, saved, first, written)
    retained.read(id, in, kernel)
    kernel.resumed()
  }
}

private object StreamGroup {

  /** Returns the micro-batch that set the timer of the group with this head. */
  def timerBatch(head: Array[Byte]): Long = {
    val in = new StateInput(head)
    // After the layout's version and the timer.
    in.moveTo(4 + 8)
    in.readLong()
  }

  /** Returns the number of rows of the group with this head. */
  def rows(head: Array[Byte]): Long = {
    val in = new StateInput(head)
    // After the timer's micro-batch and the newest time.
    in.moveTo(4 + 8 + 8 + 8)
    in.readLong()
  }
}
