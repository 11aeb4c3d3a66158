package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.StoredOperator

/** Moves over the fields of a group's head, without the plan of the query that wrote it. */
private[streaming] object HeadFields {

  /** Returns true if heads have the times of windows that the clock may close. */
  def haveClosing(operator: StoredOperator): Boolean =
    operator.properties.get(MuntinConf.StreamCloseAfter.key).exists(_ != "nothing")

  /** Moves from the start of a head to its emitted answers, or to the place where they would be. */
  def moveToAnswers(in: StateInput, hasClosing: Boolean): Unit = {
    // The layout's version; the timer, its micro-batch, the newest time, the number of rows, the
    // first row and the number of rows with results.
    in.moveTo(4 + 6 * 8)
    val saved = in.readInt()
    in.moveTo(in.at + saved)
    // The floor, the next page and the number of pages.
    (0 until 3).foreach(_ => in.readVariable())
    skipTail(in)
    if (hasClosing) skipOpened(in)
  }

  /** Skips the newest rows of a log (RowLog.writeTail). */
  private def skipTail(in: StateInput): Unit = {
    (0 until 3).foreach(_ => in.readVariable())
    val size = in.readVariable().toInt
    in.moveTo(in.at + size)
  }

  /** Skips the times of windows that the clock may close. */
  def skipOpened(in: StateInput): Unit = {
    in.readLong(): Unit
    val windows = in.readInt()
    in.moveTo(in.at + 16 * windows)
  }

  /**
   * Skips the emitted answers, which only some operators of output mode update store. They begin
   * with the high byte of their number, which is 0. Buffered rows begin with the number of a page
   * below 0, whose first byte is odd.
   */
  def skipAnswers(in: StateInput): Unit = if (in.view.get(in.at) == 0) {
    def skipRow(): Unit = {
      val size = in.readInt()
      in.moveTo(in.at + size)
    }
    (0 until in.readInt()).foreach { _ =>
      in.readInt(): Unit
      skipRow()
      skipRow()
    }
    (0 until in.readInt()).foreach { _ =>
      in.readInt(): Unit
      skipRow()
    }
  }
}
