package io.muntin.kernel

import org.scalactic.anyvals.PosInt

/**
 * How many random cases a law has: a third by default, others in each run, and all of them under
 * `make test-long`.
 */
object Cases {

  /** `make test-long` runs. */
  val isLong: Boolean = sys.env.get("MUNTIN_TESTS").contains("long")

  /** How many of as many. */
  def apply(all: Int): PosInt = PosInt.ensuringValid(if (isLong) all else (all + 2) / 3)
}
