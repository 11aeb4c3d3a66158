package org.apache.spark.sql.muntin.streaming

/**
 * The time of a StreamClock, in microseconds: at the beginning of a micro-batch, or after it is
 * closed.
 */
final case class StreamTime(
    /** Rows below this time are late; None if no row can be late. */
    lateBelow: Option[Long],

    /** No later row is below this time; None without a watermark. */
    watermark: Option[Long],

    /** Each row has its result in the micro-batch with the row. */
    byArrival: Boolean,

    /**
     * With `byArrival`: a row whose time is below an earlier row's is dropped; else it raises an
     * error.
     */
    dropsUnordered: Boolean,

    /** With `byArrival`: the newest time of all groups' rows in this micro-batch. */
    newestSeen: Long = Long.MinValue,

    /** With `byArrival`: rows below this time, the stream's newest so far, are out of order. */
    orderedFrom: Long = Long.MinValue,

    /** The start of the micro-batch by the wall clock, in milliseconds. */
    clock: Long = 0L,

    /** If the wall clock closes windows: the delay after they opened, in milliseconds. */
    closeAfter: Option[Long] = None,

    /**
     * The stream is drained in this micro-batch, and no row follows: the bound is above all times.
     */
    isEnd: Boolean = false,

    /** The checkpoint has no micro-batch before this one. */
    isFirst: Boolean = false,

    /**
     * With `byArrival`: each group has its own time, the time of its newest row. No row of another
     * group, and no watermark, advances it.
     */
    byGroup: Boolean = false
) {

  /**
   * Returns the clock up to which windows close: windows that opened at this clock or before must
   * be closed.
   */
  def openedBy: Option[Long] = closeAfter.map(clock - _)

  /** Returns `watermark`, or a bound above all times if no later row follows. */
  def bound: Option[Long] = if (isEnd) Some(Long.MaxValue) else watermark

  /** Returns a lower bound of an operator's later results, if results lag by `delay` at most. */
  def resultsBound(delay: Long): Long = watermark.fold(Long.MinValue)(_ - delay)

  /**
   * Returns the time after this micro-batch's rows. With `byArrival`, rows advance time for all
   * groups. In earlier micro-batches the newest row was at `before`; with the rows of this
   * micro-batch the newest row is at `now`.
   *
   *     earlier rows until 10:05, then a: 10:07 and b: 10:09      reached(10:05, 10:09)
   *     a row of this micro-batch below 10:05 is out of order, in any group
   *     no later row of any group is below 10:09
   */
  def reached(before: Long, now: Long): StreamTime =
    if (!byArrival || now == Long.MinValue) this
    else copy(watermark = Some(watermark.fold(now)(math.max(_, now))), orderedFrom = before)
}
