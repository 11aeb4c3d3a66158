package org.apache.spark.sql.muntin.streaming

/** How far time has come in a micro-batch, in microseconds. */
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

    /** Where the clock closes windows. */
    closing: Option[ClosingByClock] = None,

    /** The stream is drained in this micro-batch, and no row follows: the bound is above all. */
    isEnd: Boolean = false
) {

  /** The same, or above all where no later row comes. */
  def bound: Option[Long] = if (isEnd) Some(Long.MaxValue) else passed

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

/**
 * Windows are closed `after` milliseconds by the clock, counted from their opening; the micro-batch
 * began at `now`.
 */
final case class ClosingByClock(now: Long, after: Long) {

  /** Windows that opened at this clock or before are to be closed. */
  def openedBy: Long = now - after
}
