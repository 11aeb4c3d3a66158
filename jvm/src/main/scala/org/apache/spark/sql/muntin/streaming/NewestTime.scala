package org.apache.spark.sql.muntin.streaming

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.spark.SparkContext

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
  @transient private val onDriver = SeenTime.newest
  context.register(onDriver)

  private var sent = Long.MinValue

  /** Counts times in the tasks below. */
  def seen: SeenTime = onDriver

  /** In microseconds; Long.MinValue where there was no row. */
  def value: Long = if (onDriver == null) sent else onDriver.get

  private def writeObject(out: ObjectOutputStream): Unit = out.writeLong(value)

  private def readObject(in: ObjectInputStream): Unit = sent = in.readLong()
}
