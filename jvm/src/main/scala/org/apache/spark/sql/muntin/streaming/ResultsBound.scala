package org.apache.spark.sql.muntin.streaming

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.expressions.ExprId

/**
 * The bound of the rows that come out of windows below, after what has come out of them in this
 * micro-batch. Each of their tasks tells its own, and the least counts. Spark sends a task above
 * the exchange when all tasks below it have ended: what it is sent holds the least of them all.
 *
 * {{{
 *   validity below, watermark 20
 *   task 1    open: pieces from 12 and from 17       tells 12
 *   task 2    open: nothing                          tells 20
 *   tasks above     value = 12: no later piece of any group begins before 12
 * }}}
 *
 * A task that runs again tells the same, since it begins with the same state. So does the task of
 * a micro-batch that runs again: the bound need not be kept. And it never goes back: what opens
 * later begins at the watermark or where something open has been cut.
 *
 * OVER clauses that wait for rows do the same with their oldest row that waits:
 * {{{
 *   lead below, watermark 20
 *   task 1    of group a the row at 12 waits for the next        reports 12
 *   task 2    no row waits                                       reports 20
 * }}}
 *
 * Guarded by StartOrderSuite and HeldBackSuite.
 */
private[streaming] final class ResultsBound(context: SparkContext) extends Serializable {
  @transient private val onDriver = SeenTime.oldest
  context.register(onDriver)

  private var sent = Long.MaxValue

  /** Is told in the tasks below. */
  def told: SeenTime = onDriver

  /** In microseconds. */
  def value: Long = {
    val found = if (onDriver == null) sent else onDriver.get
    if (found == Long.MaxValue) {
      throw new IllegalStateException("the windows below have not told their bound")
    }
    found
  }

  private def writeObject(out: ObjectOutputStream): Unit =
    out.writeLong(if (onDriver == null) sent else onDriver.get)

  private def readObject(in: ObjectInputStream): Unit = sent = in.readLong()
}

/**
 * A time of upstream windows; `of` is the column that identifies them. With `isBegin` the time lags
 * the watermark, and its bound is the time of the oldest open window or of the oldest row that
 * waits. Else the windows emit their results in the order of this time.
 */
final case class ResultTime(of: ExprId, isBegin: Boolean)

/** An operator above that is told the bound of this operator's rows, by which of their times. */
private[streaming] final case class ToldBound(above: ResultsBound, isBegin: Boolean)
