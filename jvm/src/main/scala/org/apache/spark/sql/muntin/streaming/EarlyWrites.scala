package org.apache.spark.sql.muntin.streaming

/**
 * Writes groups to the state shortly before a batch in real-time mode ends, and not all of them
 * when it ends: in the gap between two batches no row has a result.
 *
 * It begins when four times as much time is left as the groups in the queue take, and a second.
 * Then it writes after each row the share of the groups that corresponds to the time since the row
 * before, so that the queue is empty when the batch ends. A row that arrives meanwhile waits. So
 * this takes a quarter of the time at most, and rows that arrive rarely do not notice it.
 *
 * A group that has a row after it was written is written again. The state holds these writes only
 * if the batch is committed.
 *
 * Guarded by EarlyWritesSuite and RealTimeSuite.
 */
private[streaming] final class EarlyWrites(beginMillis: Long, batchMillis: Long) {
  import EarlyWrites._

  private val end = beginMillis + batchMillis
  private var nanosOfWrite = FirstNanosOfWrite
  private var before = Long.MinValue
  private var due = 0.0

  /** Writes groups of the target if it is time. To be called after each row. */
  def write(now: Long, target: Target): Unit = {
    val left = math.max(1L, end - now)
    if (before > Long.MinValue) writeShare(now, left, target)
    else if (left <= math.min(batchMillis / 2.0, LastMillis + millis(target.unwritten) / MostShare))
      before = now
  }

  private def millis(groups: Int): Double = groups * nanosOfWrite / 1e6

  private def writeShare(now: Long, left: Long, target: Target): Unit = {
    val passed = now - before
    before = now
    due = math.min(target.unwritten.toDouble, due + target.unwritten.toDouble * passed / left)
    val most = math.max(1.0, passed * MostShare)
    val count = math.min(due, math.ceil(most * 1e6 / nanosOfWrite)).toInt
    if (count > 0) {
      val began = System.nanoTime
      var i = 0
      while (i < count) {
        target.writeOldest()
        i += 1
      }
      due -= count
      nanosOfWrite += ((System.nanoTime - began).toDouble / count - nanosOfWrite) * Smoothing
    }
  }
}

private[streaming] object EarlyWrites {

  /** What has groups to be written. */
  trait Target {

    /** Returns the length of the queue of groups. */
    def unwritten: Int

    /** Writes the first group of the queue. */
    def writeOldest(): Unit
  }

  /** The end of each batch in which groups are written. */
  private val LastMillis = 1000L

  private val MostShare = 0.25
  private val FirstNanosOfWrite = 20000.0
  private val Smoothing = 0.1
}
