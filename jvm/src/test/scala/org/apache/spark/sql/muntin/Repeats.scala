package org.apache.spark.sql.muntin

import io.muntin.kernel.Cases

/**
 * Which of a suite's random queries run: a sixth by default, another one each day, and all of them
 * under `make test-long`. `-Dmuntin.day=n` in the test JVM's options runs what day n does.
 */
object Repeats {

  /** `make test-long` runs. */
  val isLong: Boolean = Cases.isLong

  private val Share = 6

  /** The days since 1970, in UTC: all processes of a run agree but at midnight. */
  private val day: Int =
    Integer.getInteger("muntin.day", (System.currentTimeMillis() / 86_400_000L).toInt).intValue

  private val part = math.floorMod(day, Share)

  /** How many of as many. */
  def apply(all: Int): Int = if (isLong) all else (all * (part + 1)) / Share - first(all)

  /** The first of them, from 0 on. */
  def first(all: Int): Int = if (isLong) 0 else all * part / Share

  def seeds(all: Int): Range = first(all) until first(all) + apply(all)

  /**
   * Whether a case runs, of many: one in `most`, by turns. Where cases differ in several ways, the
   * sum of their places in each is a number that has every way of each kind run every day.
   */
  def turn(number: Int, most: Int): Boolean = isLong || math.floorMod(number - day, most) == 0
}
