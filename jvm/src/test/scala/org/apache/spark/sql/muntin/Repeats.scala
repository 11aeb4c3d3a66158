package org.apache.spark.sql.muntin

import io.muntin.kernel.Cases

/**
 * Which of a suite's random queries run: a sixth by default, another one each day, and all of them
 * under `make test-long`. `Cases` knows the day.
 */
object Repeats {

  /** `make test-long` runs. */
  val isLong: Boolean = Cases.isLong

  private val Share = 6

  private val part = math.floorMod(Cases.day, Share)

  /** How many of as many. */
  def apply(all: Int): Int = if (isLong) all else (all * (part + 1)) / Share - first(all)

  /** The first of them, from 0 on. */
  def first(all: Int): Int = if (isLong) 0 else all * part / Share

  def seeds(all: Int): Range = first(all) until first(all) + apply(all)

  /** Whether a case runs, of many: see Cases. */
  def turn(number: Int, most: Int): Boolean = Cases.turn(number, most)
}
