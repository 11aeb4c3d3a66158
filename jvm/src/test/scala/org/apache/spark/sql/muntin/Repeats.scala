package org.apache.spark.sql.muntin

/** How many random queries a suite runs: a third by default, all of them under `make test-long`. */
object Repeats {

  /** `make test-long` runs. */
  val isLong: Boolean = sys.env.get("MUNTIN_TESTS").contains("long")

  def apply(all: Int): Int = if (isLong) all else math.max(1, (all + 2) / 3)
}
