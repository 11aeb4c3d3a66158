package org.apache.spark.sql.muntin.streaming

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.spark.SparkContext
import org.apache.spark.util.AccumulatorV2

/**
 * The newest time of a micro-batch's rows. Tasks below an exchange count the times that they see.
 * Spark sends a task above the exchange when all tasks below it have ended: what it is sent holds
 * the newest time of them all.
 *
 * {{{
 *   task 1 below    sees 10:00, 10:05
 *   task 2 below    sees 10:02
 *   tasks above     value = 10:05, whichever rows they have
 * }}}
 *
 * Guarded by ArrivalSuite.
 */
private[streaming] final class NewestTime(context: SparkContext) extends Serializable {
  @transient private val onDriver = new NewestTime.Seen
  context.register(onDriver)

  private var sent = Long.MinValue

  /** Counts times in the tasks below. */
  def seen: NewestTime.Seen = onDriver

  /** In microseconds; Long.MinValue where there was no row. */
  def value: Long = if (onDriver == null) sent else onDriver.newest

  private def writeObject(out: ObjectOutputStream): Unit = out.writeLong(value)

  private def readObject(in: ObjectInputStream): Unit = sent = in.readLong()
}

private[streaming] object NewestTime {
  final class Seen extends AccumulatorV2[java.lang.Long, java.lang.Long] {
    private[NewestTime] var newest = Long.MinValue

    def see(time: Long): Unit = if (time > newest) newest = time

    override def isZero: Boolean = newest == Long.MinValue

    override def copy(): Seen = {
      val made = new Seen
      made.newest = newest
      made
    }

    override def reset(): Unit = newest = Long.MinValue

    override def add(time: java.lang.Long): Unit = see(time)

    override def merge(other: AccumulatorV2[java.lang.Long, java.lang.Long]): Unit =
      see(other.value)

    override def value: java.lang.Long = newest
  }
}
