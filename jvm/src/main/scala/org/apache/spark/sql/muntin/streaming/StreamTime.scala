package org.apache.spark.sql.muntin.streaming

/**
 * What a StreamClock knows of time, in microseconds: at the beginning of a micro-batch, or when it
 * is closed.
 */
final case class StreamTime(
    /** Rows below this time are late; None where no row is. */
    lateBelow: Option[Long],

    /** No later row is below this time; None where there is no watermark. */
    passed: Option[Long],

    /** Each row has its result in the micro-batch that brings it. */
    byArrival: Boolean,

    /**
     * With `byArrival`: a row whose time is below an earlier row's is left out, or else an error.
     */
    dropsUnordered: Boolean,

    /** With `byArrival`: the newest time of all groups' rows in this micro-batch. */
    newestSeen: Long = Long.MinValue,

    /** With `byArrival`: rows below this time, the stream's newest so far, come out of order. */
    orderedFrom: Long = Long.MinValue,

    /** When the micro-batch began, by the wall clock, in milliseconds. */
    clock: Long = 0L,

    /** If the wall clock closes windows: how many milliseconds after they opened. */
    closeAfter: Option[Long] = None,

    /** The stream is drained in this micro-batch, and no row follows: the bound is above all. */
    isEnd: Boolean = false,

    /** The checkpoint has no micro-batch before this one. */
    isFirst: Boolean = false
) {

  /** Windows that opened at this clock or before are to be closed. */
  def openedBy: Option[Long] = closeAfter.map(clock - _)

  /** What has `passed`; above all times if no later row comes. */
  def bound: Option[Long] = if (isEnd) Some(Long.MaxValue) else passed

  /** No later result of an operator is below it, if results lag by `delay` at most. */
  def resultsBound(delay: Long): Long = passed.fold(Long.MinValue)(_ - delay)

  /**
   * With `byArrival`, rows move time on for all groups. In earlier micro-batches the newest row was
   * at `before`; with the rows of this micro-batch the newest row is at `now`.
   *
   *     earlier rows until 10:05, then a: 10:07 and b: 10:09      reached(10:05, 10:09)
   *     a row of this micro-batch below 10:05 is out of order, whichever group it is of
   *     no later row of any group is below 10:09
   */
  def reached(before: Long, now: Long): StreamTime =
    if (!byArrival || now == Long.MinValue) this
    else copy(passed = Some(passed.fold(now)(math.max(_, now))), orderedFrom = before)
}
