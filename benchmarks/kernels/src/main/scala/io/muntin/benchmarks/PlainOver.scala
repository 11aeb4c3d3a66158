package io.muntin.benchmarks

import java.sql.Timestamp

import org.apache.spark.sql.{DataFrame, Encoders}
import org.apache.spark.sql.streaming.{
  ExpiredTimerInfo,
  ListState,
  OutputMode,
  StatefulProcessor,
  TTLConfig,
  TimeMode,
  TimerValues
}

/** A reading of the stream. */
final case class Reading(k: Long, t: Timestamp, v: Double)

/** A reading and the sum of the frame that ends with it. */
final case class Running(k: Long, t: Timestamp, n: Long, s: Double)

/**
 * Sum and count over the last seconds with transformWithState: the rows of a key are in a list, each
 * row has a timer, and when the timer expires, the program reads the list.
 */
final class PlainOver(millis: Long) extends StatefulProcessor[Long, Reading, Running] {
  @transient private var rows: ListState[Reading] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    rows = getHandle.getListState[Reading]("rows", Encoders.product[Reading], TTLConfig.NONE)

  override def handleInputRows(
      key: Long,
      input: Iterator[Reading],
      timers: TimerValues
  ): Iterator[Running] = {
    input.foreach { row =>
      rows.appendValue(row)
      getHandle.registerTimer(row.t.getTime)
    }
    Iterator.empty
  }

  override def handleExpiredTimer(
      key: Long,
      timers: TimerValues,
      timer: ExpiredTimerInfo
  ): Iterator[Running] = {
    val now = timer.getExpiryTimeInMs()
    val kept = rows.get().filter(_.t.getTime >= now - millis).toArray
    rows.put(kept)
    val frame = kept.filter(_.t.getTime <= now)
    kept.iterator.filter(_.t.getTime == now).map { row =>
      Running(key, row.t, frame.length.toLong, frame.map(_.v).sum)
    }
  }
}

object PlainOver {

  /** Runs the program over a stream of readings. */
  def of(rows: DataFrame, seconds: Int): DataFrame =
    rows
      .select("k", "t", "v")
      .as[Reading](Encoders.product[Reading])
      .groupByKey(_.k)(Encoders.scalaLong)
      .transformWithState(
        new PlainOver(seconds * 1000L),
        TimeMode.EventTime(),
        OutputMode.Append()
      )(Encoders.product[Running])
      .toDF()
}
