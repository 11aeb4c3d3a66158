package io.muntin.calendar

/** Ticks at equal distances; one of them is at `origin`. */
private[calendar] final class EvenSchedule(length: Long, origin: Long) extends LocalSchedule {
  override def atOrAfter(time: Long): Long = {
    val passed = since(time)
    if (passed == 0L) time else Math.addExact(time, length - passed)
  }

  override def before(time: Long): Long = {
    val passed = since(time)
    Math.subtractExact(time, if (passed == 0L) length else passed)
  }

  private def since(time: Long): Long = Math.floorMod(Math.subtractExact(time, origin), length)

  override def isHourly: Boolean = length <= LocalSchedule.Hour

  override def isDaily: Boolean = length >= LocalSchedule.Day

  override def shortest: Long = length
}
