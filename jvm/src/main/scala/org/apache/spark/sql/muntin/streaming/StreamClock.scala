package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.execution.SparkPlan

/**
 * Tracks time for one stateful operator in one micro-batch. The planner makes the clock, and gives
 * it to the operator and to all operators that report to it or read it. A clock has four sources:
 * Spark's watermark; the wall clock; the newest row, which LateRowsExec and BoundsExec report from
 * below the exchange; and the bound that each task of the upstream windows reports. The driver
 * advances the clock. Its states, with an OVER clause above a `lead`:
 *
 * {{{
 *   planned   the time is unknown, and reading it fails
 *      │ begin    the operator runs; the driver reads the watermark, 20, and the wall clock
 *   begun     tasks below may run; LateRowsExec drops rows below the watermark of the batch before
 *      │          task 1 of lead: the row at 12 waits for the next       reports 12
 *      │          task 2 of lead: no row waits                           reports 20
 *      │ close    the tasks below have ended; the driver reads the least of the reports
 *   closed    12: no later row is below it. The operator's own tasks are sent this value
 * }}}
 *
 * The stages below the operator run as a job of their own (UpstreamStages), so that they have ended
 * when the operator's tasks are made. A task that runs again begins with the same state, and
 * reports the same. So does a micro-batch that runs again, so reports are not stored.
 *
 * Tasks whose source runs as long as the tasks that read it never end below an operator, as in
 * Spark's real-time mode. Then a clock closes without the reports. It does not have the newest row:
 * each group has its own time. The clock cannot close if the operator uses the upstream bound.
 *
 * Guarded by StreamClockSuite, which runs through all short streams; in queries by ArrivalSuite,
 * StartOrderSuite and HeldBackSuite.
 *
 * @param usesUpstream
 *   whether the operator uses the bound that upstream windows report, in place of the watermark
 * @param isMixed
 *   whether other rows use the watermark: then the operator uses the lesser of the two
 */
final class StreamClock(val usesUpstream: Boolean = false, val isMixed: Boolean = false)
    extends Serializable {
  @transient private var beginState: Option[StreamClock.BeginState] = None
  @transient private var closedTime: Option[StreamTime] = None

  /**
   * Starts the clock: the driver has the watermark and the wall clock. If several operators have
   * this clock, the first starts it.
   *
   * @param seesNewest
   *   whether the newest row is needed
   * @param register
   *   makes an accumulator known to Spark
   */
  def begin(seesNewest: => Boolean, register: TimeAccumulator => Unit)(
      time: => StreamTime,
      late: => Option[LateFolder]
  ): Unit = if (beginState.isEmpty) {
    def reports(isNeeded: Boolean, made: => TimeAccumulator): Option[TimeAccumulator] = {
      val needed = Option.when(isNeeded)(made)
      needed.foreach(register)
      needed
    }
    val now = time
    beginState = Some(StreamClock.BeginState(
      now,
      late,
      newest = reports(seesNewest, TimeAccumulator.newest),
      upstream = reports(usesUpstream, TimeAccumulator.oldest),
      opened = reports(now.closeAfter.isDefined, TimeAccumulator.oldest)
    ))
  }

  /** Returns the time at the beginning, for an operator that needs it. */
  def time(operator: SparkPlan): StreamTime =
    beginState.getOrElse(StreamTimes.unknown(operator)).time

  /** Returns the folder for rows that are late or out of order, if any. */
  def late: Option[LateFolder] = beginState.flatMap(_.late)

  /** Returns the accumulator of the upstream rows' times; None if the newest is not needed. */
  def newest: Option[TimeAccumulator] = beginState.flatMap(_.newest)

  /**
   * Returns the accumulator of the upstream windows' bounds; None if the operator uses the
   * watermark.
   */
  def upstream: Option[TimeAccumulator] = beginState.flatMap(_.upstream)

  /**
   * Returns the accumulator of the clocks at which open windows opened; None if the clock closes no
   * windows.
   */
  def opened: Option[TimeAccumulator] = beginState.flatMap(_.opened)

  /**
   * Closes the clock, once. Returns the time for the operator's tasks.
   *
   * @param haveEnded
   *   whether all tasks that report have ended; not evaluated if no task does
   */
  def close(haveEnded: => Boolean): StreamTime = closedTime.getOrElse {
    val now = beginState.getOrElse(throw new IllegalStateException("the clock has not begun"))
    val reports = now.newest.toSeq ++ now.upstream
    val areReported = reports.nonEmpty && haveEnded
    val newest = now.newest.filter(_ => areReported).fold(Long.MinValue)(_.get)
    val time = now.upstream.fold(now.time.copy(newestSeen = newest)) { upstream =>
      if (!areReported || upstream.isZero) {
        throw new IllegalStateException("the upstream windows have not reported their bound")
      }
      val watermark = now.time.watermark.filter(_ => isMixed)
      now.time.copy(
        watermark = Some(watermark.fold(upstream.get)(math.min(_, upstream.get))),
        newestSeen = newest
      )
    }
    closedTime = Some(time)
    time
  }
}

private object StreamClock {

  /** The times that the driver has at the beginning, and the accumulators of the tasks. */
  final case class BeginState(
      time: StreamTime,
      late: Option[LateFolder],
      newest: Option[TimeAccumulator],
      upstream: Option[TimeAccumulator],
      opened: Option[TimeAccumulator]
  )
}

/**
 * The downstream operator's clock, to which an operator reports the bound of its rows. With
 * `isBegin` the bound is the time of its oldest open window or of its oldest buffered row. Else its
 * results are emitted in the order of their times.
 */
final case class TimeReport(clock: StreamClock, isBegin: Boolean)
