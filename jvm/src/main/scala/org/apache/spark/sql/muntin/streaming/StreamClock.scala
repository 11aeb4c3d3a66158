package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.execution.SparkPlan

/**
 * How far time has come for one stateful operator in one micro-batch. The planner makes the clock,
 * and gives it to the operator and to all who have a part in its time. A clock has four sources:
 * Spark's watermark; the wall clock; the newest row, which LateRowsExec and BoundsExec report from
 * below the exchange; and the bound that each task of the windows below reports. The driver moves
 * the clock on. Its states, with an OVER clause above a `lead`:
 *
 * {{{
 *   planned   nothing is known, and an operator that asks fails
 *      │ begin    the operator runs; the driver reads the watermark, 20, and the wall clock
 *   begun     tasks below may run; LateRowsExec drops rows below the watermark of the batch before
 *      │          task 1 of lead: the row at 12 waits for the next       reports 12
 *      │          task 2 of lead: no row waits                           reports 20
 *      │ close    the tasks below have ended; the driver reads the least of the reports
 *   closed    12: no later row is below it. The operator's own tasks are sent this value
 * }}}
 *
 * The stages below the operator run as a job of their own (StagesBelow), so that they have ended
 * when the operator's tasks are made. A task that runs again begins with the same state, and
 * reports the same. So does a micro-batch that runs again: no report has to be stored.
 *
 * Tasks whose source runs as long as the tasks that read it never end below an operator, as in
 * Spark's real-time mode. Then a clock closes without the reports. It does not know the newest row:
 * each group has a time of its own. And it cannot close if the operator uses the upstream bound.
 *
 * Guarded by StreamClockSuite, which runs through all short streams; in queries by ArrivalSuite,
 * StartOrderSuite and HeldBackSuite.
 *
 * @param usesUpstream
 *   whether the operator uses the bound that windows below report, in place of the watermark
 * @param isMixed
 *   whether other rows use the watermark: then the operator uses the lesser of the two
 */
final class StreamClock(val usesUpstream: Boolean = false, val isMixed: Boolean = false)
    extends Serializable {
  @transient private var begun: Option[StreamClock.Begun] = None
  @transient private var closed: Option[StreamTime] = None

  /**
   * The driver has the watermark and the wall clock. Of several operators with this clock the first
   * begins.
   *
   * @param seesNewest
   *   whether the newest row is needed
   * @param register
   *   makes an accumulator known to Spark
   */
  def begin(seesNewest: => Boolean, register: SeenTime => Unit)(
      time: => StreamTime,
      late: => Option[LateFolder]
  ): Unit = if (begun.isEmpty) {
    def reports(isNeeded: Boolean, made: => SeenTime): Option[SeenTime] = {
      val needed = Option.when(isNeeded)(made)
      needed.foreach(register)
      needed
    }
    val now = time
    begun = Some(StreamClock.Begun(
      now,
      late,
      newest = reports(seesNewest, SeenTime.newest),
      upstream = reports(usesUpstream, SeenTime.oldest),
      opened = reports(now.closeAfter.isDefined, SeenTime.oldest)
    ))
  }

  /** Returns what was known at the beginning, to an operator that needs it. */
  def time(operator: SparkPlan): StreamTime =
    begun.getOrElse(StreamTimes.unknown(operator)).time

  /** Where rows go that are late or out of order, if somewhere. */
  def late: Option[LateFolder] = begun.flatMap(_.late)

  /** Gets the times of the rows below; None if the newest is not needed. */
  def newest: Option[SeenTime] = begun.flatMap(_.newest)

  /** Gets the bounds of the windows below; None if the operator uses the watermark. */
  def upstream: Option[SeenTime] = begun.flatMap(_.upstream)

  /** Gets the clocks at which windows opened that are open; None if the clock closes none. */
  def opened: Option[SeenTime] = begun.flatMap(_.opened)

  /**
   * Closes the clock, once. Returns the time for the operator's tasks.
   *
   * @param haveEnded
   *   whether all tasks that report have ended; not evaluated if no task does
   */
  def close(haveEnded: => Boolean): StreamTime = closed.getOrElse {
    val now = begun.getOrElse(throw new IllegalStateException("the clock has not begun"))
    val reports = now.newest.toSeq ++ now.upstream
    val areKnown = reports.nonEmpty && haveEnded
    val newest = now.newest.filter(_ => areKnown).fold(Long.MinValue)(_.get)
    val time = now.upstream.fold(now.time.copy(newestSeen = newest)) { upstream =>
      if (!areKnown || upstream.isZero) {
        throw new IllegalStateException("the windows below have not reported their bound")
      }
      val watermark = now.time.passed.filter(_ => isMixed)
      now.time.copy(
        passed = Some(watermark.fold(upstream.get)(math.min(_, upstream.get))),
        newestSeen = newest
      )
    }
    closed = Some(time)
    time
  }
}

private object StreamClock {

  /** What the driver knows at the beginning, and where tasks report. */
  final case class Begun(
      time: StreamTime,
      late: Option[LateFolder],
      newest: Option[SeenTime],
      upstream: Option[SeenTime],
      opened: Option[SeenTime]
  )
}

/**
 * The clock of the operator above, to which an operator reports the bound of its rows. With
 * `isBegin` this is the time of its oldest open window or of its oldest row that waits. Else its
 * results are emitted in the order of their times.
 */
final case class TimeReport(to: StreamClock, isBegin: Boolean)
