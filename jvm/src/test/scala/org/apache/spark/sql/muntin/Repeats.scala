package org.apache.spark.sql.muntin

import io.muntin.kernel.Cases

/**
 * Selects a suite's random queries: an eighth of them, selected by `MUNTIN_SEED`, or all of them
 * under `make test-long`.
 */
object Repeats {

  /** `make test-long` runs. */
  val isLong: Boolean = Cases.isLong

  private val Share = 8

  private val part = math.floorMod(Cases.seed, Share)

  /** The number of selected queries of `all`. */
  def apply(all: Int): Int = if (isLong) all else (all * (part + 1)) / Share - first(all)

  /** The first selected query, from 0 on. */
  def first(all: Int): Int = if (isLong) 0 else all * part / Share

  def seeds(all: Int): Range = first(all) until first(all) + apply(all)

  /** Returns true if a case runs: see Cases. */
  def selects(number: Int, most: Int): Boolean = Cases.selects(number, most)
}
